import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// A served chain and what it is evaluated for.
struct Question {
  var served: [[UInt8]]
  /// What counts as the system's anchors.
  var anchors: [TestCertificate]
  var peer: TrustRequest.Peer = .server("example.com")
  var at = "2026-06-01"
  var tlsVersion: TLSVersion? = .tls13
  var trust: Manifest.Trust?
  /// The certificates that the manifest carries.
  var carried: [TestCertificate] = []
  var findsAllFailures = false

  init(_ served: [TestCertificate], anchors: [TestCertificate]) {
    self.served = served.map(\.der)
    self.anchors = anchors
  }

  /// Asks, and answers the chain by its DER bytes or the codes of the failures with the certificates' places.
  func ask() throws -> Outcome {
    let anchors = try TrustAnchors(anchors.map(\.pem))
    let request = TrustRequest(peer: peer, at: try instant(at), tlsVersion: tlsVersion, trust: trust)
    let chain: ServedChain
    do throws(TrustFailure) { chain = try ServedChain(served) } catch { return .refused([Outcome.text(error)]) }
    let evaluator = TrustEvaluator(anchors: anchors, findsAllFailures: findsAllFailures)
    let evaluation = evaluator.evaluate(chain, for: request) { fingerprint in
      carried.first { (try? $0.fingerprint) == fingerprint }?.der
    }
    switch evaluation {
    case .trusted(let chain, let excused):
      return .trusted(chain.certificates, excused: excused.map { Outcome.text($0.failure) })
    case .refused(let failures): return .refused(failures.map(Outcome.text))
    }
  }
}

/// The answer in a form that a table can hold: `expired@0` is an expired leaf.
enum Outcome: Equatable, CustomTestStringConvertible {
  case trusted([[UInt8]], excused: [String])
  case refused([String])

  static func chain(_ certificates: [TestCertificate], excused: [String] = []) -> Outcome {
    .trusted(certificates.map(\.der), excused: excused)
  }

  var testDescription: String {
    switch self {
    case .trusted(let chain, let excused): "trusted, \(chain.count) certificates, excused \(excused)"
    case .refused(let failures): "refused \(failures)"
    }
  }

  static func text(_ failure: TrustFailure) -> String {
    failure.code.description + (failure.certificate.map { "@\($0)" } ?? "")
  }
}

/// One row of a table.
struct Row: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let build: @Sendable (Maker) throws -> (Question, Outcome)

  init(_ name: String, _ build: @escaping @Sendable (Maker) throws -> (Question, Outcome)) {
    testDescription = name
    self.build = build
  }

  func check() throws {
    let (question, expected) = try build(try Maker())
    let outcome = try question.ask()
    #expect(outcome == expected)
  }
}

/// Replaces the first occurrence of some bytes by as many others.
func replacing(_ old: [UInt8], by new: [UInt8], in der: [UInt8]) throws -> [UInt8] {
  let start = try #require(der.indices.dropLast(old.count - 1).first { der[$0...].starts(with: old) })
  var changed = der
  changed.replaceSubrange(start..<(start + old.count), with: new)
  return changed
}

extension TestCertificate {
  var fingerprint: SHA256Digest {
    get throws { try #require(SHA256Digest(try sha256(der))) }
  }
}
