import PinFormat
import TestSupport
import Testing

@Suite("Writing and reading keysets")
struct KeysetRoundTripTests {
  private func read(_ bytes: [UInt8]) throws(FormatError) -> Keyset {
    try KeysetReader.read(bytes, signed: 0..<bytes.count)
  }

  @Test("Reading gives back what was written, whatever the order that it was given in", arguments: 0..<40)
  func readingInvertsWriting(seed: UInt64) throws {
    var random = RandomKeyset(seed: seed)
    for _ in 0..<25 {
      let keyset = random.next()
      let bytes = keyset.signedBytes()
      #expect(try read(bytes) == keyset)
      var shuffled = keyset
      shuffled.keys.reverse()
      shuffled.roots.keys.reverse()
      shuffled.signers.keys.reverse()
      shuffled.critical.reverse()
      #expect(shuffled.signedBytes() == bytes)
    }
  }

  /// Whatever is accepted is the one encoding of what it says.
  @Test("A changed byte is refused, or gives another keyset with exactly these bytes", arguments: 0..<6)
  func mutationsAreCanonicalOrRefused(seed: UInt64) throws {
    var random = RandomKeyset(seed: seed + 1_000)
    var mutation = SeededGenerator(seed: seed)
    let bytes = random.next().signedBytes()
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
        #expect(try read(changed).signedBytes() == changed)
      } catch {
        #expect(error.offset >= 0 && error.offset <= changed.count)
        refused += 1
      }
    }
    #expect(refused > count * 3 / 8)
  }

  @Test("Bytes that end early are refused wherever they end")
  func truncation() {
    var random = RandomKeyset(seed: 7)
    let bytes = random.next().signedBytes()
    for count in bytes.indices { #expect(throws: FormatError.self) { try read(Array(bytes[..<count])) } }
  }

  @Test("Bytes before and after the signed ones aren't part of them")
  func surroundings() throws {
    var random = RandomKeyset(seed: 8)
    let keyset = random.next()
    let bytes = keyset.signedBytes()
    let file = SignatureEnvelope.encode(
      signed: bytes, signatures: [SignatureEnvelope.Signature(keyID: Pin.empty, bytes: [1])])
    let envelope = try SignatureEnvelope(scanning: file, as: .keyset)
    #expect(Array(file[envelope.signed]) == bytes)
    #expect(try KeysetReader.read(file, signed: envelope.signed) == keyset)
    #expect(throws: FormatError.self) { try KeysetReader.read(file, signed: envelope.signed.dropLast()) }
    #expect(throws: FormatError.self) { try KeysetReader.read(file, signed: file.indices) }
  }
}
