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
  /// The system's directory of certificates, in place of `anchors`.
  var directory: String?

  init(_ served: [TestCertificate], anchors: [TestCertificate]) {
    self.served = served.map(\.der)
    self.anchors = anchors
  }

  /// Asks an evaluator that knows what the cache has, and answers the chain by its DER bytes or the codes of the failures
  /// with the certificates' places.
  func ask(cache: CertificateCache = CertificateCache()) throws -> Outcome {
    let anchors = try directory.map { TrustAnchors(directory: $0) } ?? TrustAnchors(anchors.map(\.pem))
    let request = TrustRequest(peer: peer, at: try instant(at), tlsVersion: tlsVersion, trust: trust)
    let chain: ServedChain
    do throws(TrustFailure) { chain = try ServedChain(served) } catch { return .refused([Outcome.text(error)]) }
    let evaluator = TrustEvaluator(anchors: anchors, findsAllFailures: findsAllFailures, cache: cache)
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
    let known = question.served + (question.anchors + question.carried).map(\.der)
    let again = try question.ask(cache: .knowingSignatures(among: known))
    #expect(again == expected, "as it was asked by who knows the signatures")
  }
}

extension CertificateCache {
  /// What an evaluator knows that has seen each of these on a valid path, whatever is wrong with them now.
  static func knowingSignatures(among certificates: [[UInt8]]) throws -> CertificateCache {
    let cache = CertificateCache()
    let certificates = certificates.compactMap { try? Certificate(der: $0) }
    for certificate in certificates {
      for issuer in certificates where issuer.der != certificate.der && issuer.hasSigned(certificate) {
        cache.keep(path: [certificate, issuer])
      }
    }
    return cache
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
