import PinFormat
import TestSupport
import Testing

@Suite("Writing and reading manifests")
struct ManifestRoundTripTests {
  @Test("Reading gives back what was written", arguments: 0..<40)
  func readingInvertsWriting(seed: UInt64) throws {
    var random = RandomManifest(seed: seed)
    for _ in 0..<10 {
      let manifest = random.next()
      let bytes = manifest.signedBytes()
      let tables = try ManifestReader.read(bytes, signed: 0..<bytes.count)
      #expect(Manifest(tables) == manifest)
      #expect(tables.signedBytes() == bytes)
    }
  }

  /// Whatever is accepted is the one encoding of what it says.
  @Test("A changed byte is refused, or gives another manifest with exactly these bytes", arguments: 0..<6)
  func mutationsAreCanonicalOrRefused(seed: UInt64) throws {
    var random = RandomManifest(seed: seed + 1_000)
    var mutation = SeededGenerator(seed: seed)
    let manifest = random.next()
    let bytes = manifest.signedBytes()
    var refused = 0
    let count = Thoroughness.pick(1_000, full: 4_000)
    for _ in 0..<count {
      var changed = bytes
      switch mutation.below(4) {
      case 0: changed.remove(at: mutation.below(changed.count))
      case 1: changed.insert(mutation.pick(Array("\"{}[]:,\\0 a".utf8)), at: mutation.below(changed.count))
      case 2: changed[mutation.below(changed.count)] = UInt8(truncatingIfNeeded: mutation.next())
      default: changed.swapAt(mutation.below(changed.count), mutation.below(changed.count))
      }
      do {
        let tables = try ManifestReader.read(changed, signed: 0..<changed.count)
        #expect(Manifest(tables).signedBytes() == changed)
        #expect(tables.signedBytes() == changed)
      } catch {
        #expect(error.offset >= 0 && error.offset <= changed.count)
        refused += 1
      }
    }
    #expect(refused > count / 2)
  }

  @Test("Bytes that end early are rejected wherever they end, in the same words whatever follows the end")
  func truncation() {
    var random = RandomManifest(seed: 7)
    let bytes = random.next().signedBytes()
    for count in bytes.indices {
      let alone = #expect(throws: FormatError.self) {
        try ManifestReader.read(Array(bytes[..<count]), signed: 0..<count)
      }
      let followed = #expect(throws: FormatError.self) { try ManifestReader.read(bytes, signed: 0..<count) }
      #expect(followed?.offset == alone?.offset)
      #expect(followed?.description == alone?.description)
    }
  }
}
