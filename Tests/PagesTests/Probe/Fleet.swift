import Diagnostics
import OpenSSLKit
import Pages
import PinFormat
import PinProbe

@testable import PinValidator

/// A small fleet, put together by hand: one host for each way in which a host can stand.
///
/// Nothing of it was ever served: digests are counted up, and verdicts are what the validator would have said.
struct Fleet {
  static let now = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z
  static let day: Int64 = 86_400

  private var certificates: [SHA256Digest: CertificateRecord] = [:]
  var targets: [AssessedTarget] = []
  var diagnostics: [Diagnostic] = []
  var stores = ["system", "mozilla"]
  var deadlines: [String: [ProbePage.Deadline]] = [:]
  var isPartial = false
  var shards: [Evidence.Shard] = []
  var suppressed: [Report.Suppressed] = []

  /// A digest that is like no other one of the fleet.
  static func digest(_ number: Int) -> SHA256Digest {
    let bytes = (0..<32).map { UInt8(truncatingIfNeeded: (number &+ 1) &* ($0 &* 37 &+ 11) &+ $0 &* number) }
    return SHA256Digest(bytes) ?? SHA256Digest(InlineArray<32, UInt8>(repeating: 0))
  }

  /// Adds a certificate whose life is counted in days from now; a common name of nil leaves it without.
  mutating func certificate(
    _ name: String?, by issuer: String, key: KeyAlgorithm = .ec(bits: 256, curve: "P-256"), from: Int64 = -30,
    to: Int64 = 60,
    names: [String] = [], isCA: Bool = false, urls: [String] = [], sharingKeyOf other: SHA256Digest? = nil
  ) -> SHA256Digest {
    let number = certificates.count
    let fingerprint = Self.digest(number)
    let subject = name.map { "CN=" + $0 } ?? ""
    certificates[fingerprint] = CertificateRecord(
      fingerprint: fingerprint, pin: other.flatMap { certificates[$0]?.pin } ?? Pin(Self.digest(number + 1_000_000)),
      subject: subject, issuer: "CN=" + issuer,
      commonName: name, notBefore: Self.now.adding(seconds: from * Self.day),
      notAfter: Self.now.adding(seconds: to * Self.day), algorithm: key,
      signature: key.title.hasPrefix("RSA") ? "RSA with SHA-256" : "ECDSA with SHA-256", names: names, isCA: isCA,
      isSelfSigned: name == issuer, usages: isCA ? nil : ["serverAuth"], issuerURLs: urls)
    return fingerprint
  }

  mutating func finding(_ code: String, _ severity: Severity, _ message: String, line: Int = 4, help: String) {
    let start = Position(line: line, column: 5)
    let end = Position(line: line, column: 30)
    diagnostics.append(
      Diagnostic(
        code: code, severity: severity, message: message, place: Place(file: FileID(0), start: start, end: end),
        help: help, citation: "RFC 7469 section 2.6"))
  }

  static func verdict(_ answer: Answer) -> Verdict {
    let context = DecisionContext(.requirement, entry: 0, [])
    return switch answer {
    case .matched: .allow(.matched(PinMatch(key: 0, certificate: 1, position: .intermediate)), context)
    case .mismatch: .block(.mismatch(.noKey), context)
    case .reported: .allow(.mismatchReported(.noKey), context)
    case .untrusted(let failure): .block(.untrusted(failure), context)
    case .denied: .block(.deniedKey(PinMatch(key: 1, certificate: 0, position: .leaf)), context)
    }
  }

  enum Answer {
    case matched, mismatch, reported, denied
    case untrusted(TrustFailure)
  }

  static func path(_ chain: [SHA256Digest], _ answer: Answer, _ matches: [KeyMatch] = []) -> PathJudgement {
    if case .untrusted(let failure) = answer {
      return PathJudgement(chain: chain, verdict: verdict(answer), failures: [failure], matches: matches)
    }
    return PathJudgement(chain: chain, verdict: verdict(answer), matches: matches)
  }

  /// The same judgement under each store.
  func alike(_ path: PathJudgement) -> [StoreJudgement] { stores.map { _ in StoreJudgement(paths: [path]) } }

  static func visit(
    _ offer: Evidence.Offer, at address: String, _ outcome: AssessedVisit.Outcome, attempts: Int = 1
  ) -> AssessedVisit {
    AssessedVisit(address: address, port: 443, offer: offer, observed: now, attempts: attempts, outcome: outcome)
  }

  /// The four offers to an address: ECDSA and RSA each served, or not offered.
  static func visits(at address: String, ecdsa: ServedReport?, rsa: ServedReport?) -> [AssessedVisit] {
    Evidence.Offer.all.map { offer in
      let served = offer.keyFamily == .ecdsa ? ecdsa : rsa
      let refusal = Evidence.Failure(.alert, alert: 40, "the server ended the handshake: handshake_failure")
      return visit(offer, at: address, served.map { .served($0) } ?? .notOffered(refusal))
    }
  }

  mutating func host(
    _ name: String, _ visits: [AssessedVisit], unresolved: Evidence.Failure? = nil, startTLS: StartTLS? = nil
  ) throws {
    let host = try HostName(canonicalising: name)
    let port: UInt16 = startTLS == .smtp ? 25 : 443
    var target = AssessedTarget(host: host, port: port, startTLS: startTLS, unresolved: unresolved, visits: visits)
    for number in target.visits.indices { target.visits[number].port = port }
    targets.append(target)
  }

  var page: ProbePage {
    let assessment = Assessment(
      instant: Self.now, begun: Self.now.adding(seconds: -620), ended: Self.now.adding(seconds: -600),
      tool: "pintle 0.1.0",
      isPartial: isPartial, shards: shards, stores: stores, certificates: certificates, targets: targets)
    let rules = [
      RuleInfo(
        code: "P520", name: "no-pinned-key", title: "No pinned key", severity: .error, rationale: "",
        citation: "RFC 7469 section 2.6")
    ]
    let sources = SourceSet([SourceSet.File(path: "policies/web.yaml", bytes: Array("version: 1\n".utf8))])
    let report = Report(
      diagnostics: diagnostics, suppressed: suppressed, sources: sources, rules: rules,
      tool: Report.Tool(name: "pintle", version: "0.1.0", reference: "https://pintle.example/docs"),
      instant: Self.now.description)
    return ProbePage(assessment: assessment, report: report, deadlines: deadlines)
  }
}
