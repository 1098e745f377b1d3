import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import PinValidator
import Testing

/// `probe` and `decide` say the same of one chain.
struct TrustCauseTests {
  /// The rules about chains that clients reject: the example of each is a server that presents one.
  private static let codes = [
    "P501", "P504", "P505", "P506", "P507", "P508", "P509", "P510", "P511", "P512", "P515",
  ]

  @Test(arguments: codes) func aChainIsRejectedInTheSameWords(_ code: String) throws {
    let example = try #require(Rule.catalogue.first { $0.code == code }).failing
    let found = try ExampleCheck(example).diagnostics(of: code).map(\.message)
    let clauses = try Self.clauses(of: example)
    #expect(
      found.contains { message in clauses.contains { message.contains($0) } }, "\(code): \(found) and \(clauses)")
  }

  /// What `decide` says of each chain of an example's evidence, by the manifest of its policy.
  private static func clauses(of example: Example) throws -> Set<String> {
    let (sources, unread) = ExampleCheck.sources(of: example.files)
    let policy = try Resolver.resolve(PolicyReader.read(sources, unread: unread), files: ExampleCheck.keyFiles)
    let manifest = try #require(
      try CheckedPolicy.check(CheckInput(policy: policy, at: example.instant)).checked?.rehearsed(at: example.instant))
    let evidence = try ExampleEvidence.evidence(try #require(example.observed).file)
    let certificates = Dictionary(evidence.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
    var clauses: Set<String> = []
    for store in evidence.stores {
      let anchors = try TrustAnchors(store.anchors.compactMap { certificates[$0] })
      let validator = Validator(
        manifest: manifest, evaluator: TrustEvaluator(anchors: anchors, findsAllFailures: true))
      for target in evidence.targets {
        for visit in target.addresses.flatMap(\.visits) {
          guard let served = visit.served else { continue }
          let handshake = PeerHandshake(
            host: target.host.text, port: target.port, certificates: served.chain.compactMap { certificates[$0] },
            tlsVersion: .tls13)
          let decision = validator.evaluate(handshake, at: example.instant)
          if let cause = TrustCause(of: decision, on: handshake, by: validator, at: example.instant) {
            clauses.insert(cause.clause)
          }
        }
      }
    }
    return clauses
  }
}
