import PinFormat
import PinProbe
import TestSupport
import Testing

@Suite("Writing and reading evidence")
struct EvidenceRoundTripTests {
  @Test("Reading gives back what was written", arguments: 0..<40)
  func readingInvertsWriting(seed: UInt64) throws {
    var random = RandomEvidence(seed: seed)
    for _ in 0..<20 {
      let evidence = random.next()
      let bytes = evidence.encoded()
      let read = try Evidence(reading: bytes)
      #expect(read == evidence)
      #expect(read.encoded() == bytes)
    }
  }

  @Test("The order in which it was collected doesn't matter")
  func writingSorts() {
    var random = RandomEvidence(seed: 77)
    var shuffle = SeededGenerator(seed: 77)
    for _ in 0..<50 {
      let evidence = random.next()
      var other = evidence
      other.certificates.shuffle(using: &shuffle)
      other.stores.shuffle(using: &shuffle)
      other.targets.shuffle(using: &shuffle)
      for target in other.targets.indices {
        other.targets[target].addresses.shuffle(using: &shuffle)
        for address in other.targets[target].addresses.indices {
          other.targets[target].addresses[address].visits.shuffle(using: &shuffle)
        }
      }
      #expect(other.encoded() == evidence.encoded())
    }
  }

  /// Whatever is accepted is the one encoding of what it says.
  @Test("A changed byte is refused, or gives other evidence with exactly these bytes", arguments: 0..<6)
  func mutationsAreCanonicalOrRefused(seed: UInt64) {
    var random = RandomEvidence(seed: seed + 1_000)
    var mutation = SeededGenerator(seed: seed)
    let evidence = random.next()
    let bytes = evidence.encoded()
    var refused = 0
    let count = Thoroughness.pick(400, full: 4_000)
    for _ in 0..<count {
      var changed = bytes
      switch mutation.below(4) {
      case 0: changed.remove(at: mutation.below(changed.count))
      case 1: changed.insert(mutation.pick(Array("\"{}[]:,\\0 a".utf8)), at: mutation.below(changed.count))
      case 2: changed[mutation.below(changed.count)] = UInt8(truncatingIfNeeded: mutation.next())
      default: changed.swapAt(mutation.below(changed.count), mutation.below(changed.count))
      }
      do throws(FormatError) {
        let read = try Evidence(reading: changed)
        #expect(read.encoded() == changed)
        #expect((read == evidence) == (changed == bytes))
      } catch {
        #expect(error.offset >= 0 && error.offset <= changed.count)
        refused += 1
      }
    }
    #expect(refused > count / 2)
  }

  @Test("Bytes that end early are refused wherever they end")
  func truncation() {
    var random = RandomEvidence(seed: 7)
    let bytes = random.next().encoded()
    for count in bytes.indices {
      #expect(throws: FormatError.self) { try Evidence(reading: Array(bytes[..<count])) }
    }
  }

  @Test("Messages are shortened to what a file may hold, and those that fit stay as they are")
  func messages() throws {
    let euros = String(repeating: "€", count: 100)
    let cases = [
      ("refused", "refused"), ("", "no reason was given"), ("a\r\nb\u{9b}c", "a  b c"), (euros, euros),
      (euros + "€", String(repeating: "€", count: 99) + "…"),
      (String(repeating: "\"", count: 151), String(repeating: "\"", count: 148) + "…"),
      (String(repeating: "x", count: 300), String(repeating: "x", count: 300)),
      (String(repeating: "x", count: 301), String(repeating: "x", count: 297) + "…"),
    ]
    for (text, kept) in cases {
      let failure = Evidence.Failure(.closed, text)
      #expect(failure.message == kept)
      #expect(Evidence.Failure(.closed, failure.message) == failure)
      let evidence = Evidence(
        begun: .earliest, ended: .latest, tool: "test",
        targets: [Evidence.Target(host: .example, port: 443, unresolved: failure)])
      #expect(try Evidence(reading: evidence.encoded()) == evidence)
    }
  }

  @Test("What nothing names and what says nothing is left out")
  func emptyThings() throws {
    var random = RandomEvidence(seed: 9)
    let target = Evidence.Target(
      host: .example, port: 443, addresses: [Evidence.Address(address: "127.0.0.1", port: 443, visits: [])])
    let evidence = Evidence(
      begun: .latest, ended: .earliest, tool: "test", shards: [Evidence.Shard(number: 1, count: 1)],
      certificates: random.certificates(3), targets: [target])
    let read = try Evidence(reading: evidence.encoded())
    #expect(read == Evidence(begun: .latest, ended: .latest, tool: "test"))
  }
}
