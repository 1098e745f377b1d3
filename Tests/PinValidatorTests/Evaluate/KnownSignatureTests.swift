import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// A signature that was verified on a valid path isn't verified again; everything else is checked each time.
///
/// That knowing true signatures changes no answer is checked by every row of the other tables, too.
@Suite struct KnownSignatureTests {
  private static let make = Result { try Maker() }

  /// Only what nobody has signed can tell whether a signature is verified: so the evaluator is given a false one here.
  @Test func `a known signature isn't verified again, and no other signature counts as known`() throws {
    let make = try Self.make.get()
    let chain = [try make.leaf, try make.intermediate, try make.root].map(\.der)
    for (forged, told, answer) in [
      ([1], [], ["bad-signature@1"]), ([1], [[1, 2]], nil), ([0], [[0, 1]], ["bad-signature@0"]),
      ([0], [[0, 2], [1, 2]], ["bad-signature@0"]), ([0, 1], [[0, 1]], ["bad-signature@1"]),
      // If something is wrong, libcrypto verifies everything.
      ([0, 1], [[1, 2]], ["bad-signature@1"]), ([0, 1], [[1, 2], [0, 1]], nil),
    ] as [([Int], [[Int]], [String]?)] {
      var served = chain
      for place in forged { served[place][chain[place].count - 1] ^= 1 }
      let cache = CertificateCache()
      for path in told { cache.keep(path: try path.map { try Certificate(der: served[$0]) }) }
      var question = Question([], anchors: [try make.root])
      question.served = [served[0], served[1]]
      let expected = answer.map { Outcome.refused($0) } ?? .trusted(served, excused: [])
      #expect(try question.ask(cache: cache) == expected, "forged \(forged), told \(told)")
    }
  }

  /// What is known is about bytes, so it is never about a certificate that was changed.
  @Test(arguments: 0..<2)
  func `a chain of which one byte was changed is refused by who knows the chain`(_ place: Int) throws {
    let make = try Self.make.get()
    let chain = [try make.leaf, try make.intermediate, try make.root]
    let cache = CertificateCache()
    var question = Question([chain[0], chain[1]], anchors: [chain[2]])
    #expect(try question.ask(cache: cache) == .chain(chain))
    for number in stride(from: 0, to: chain[place].der.count, by: 7) {
      question.served[place] = chain[place].der
      question.served[place][number] ^= 0x10
      guard case .refused = try question.ask(cache: cache) else {
        Issue.record("byte \(number) of certificate \(place)")
        continue
      }
    }
  }

  /// Dates, names and usages of certificates whose signatures are all known.
  @Test func `everything else is checked each time`() throws {
    let make = try Self.make.get()
    let chain = [try make.leaf, try make.intermediate, try make.root]
    let cache = CertificateCache()
    let question = Question([chain[0], chain[1]], anchors: [chain[2]])
    #expect(try question.ask(cache: cache) == .chain(chain))
    for (change, expected) in [
      ({ $0.at = "2049-06-01" }, .refused(["expired@0", "expired@1", "expired@2"])),
      ({ $0.at = "2019-06-01" }, .refused(["not-yet-valid@0", "not-yet-valid@1", "not-yet-valid@2"])),
      ({ $0.peer = .server("other.example") }, .refused(["name-mismatch@0"])),
      ({ $0.peer = .client }, .refused(["wrong-usage@0"])),
      ({ $0.anchors = [] }, .refused(["unknown-issuer@1"])),
      ({ $0.served.removeLast() }, .refused(["missing-intermediate@0"])),
      ({ $0.trust = Manifest.Trust(minimumECBits: 384) }, .refused(["weak-key@0", "weak-key@1", "weak-key@2"])),
      ({ _ in }, .chain(chain)),
    ] as [((inout Question) -> Void, Outcome)] {
      var changed = question
      change(&changed)
      #expect(try changed.ask(cache: cache) == expected)
      #expect(try changed.ask() == expected)
    }
  }
}
