import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server with two certificates, one of which nobody thought of.
  static let keyTypeUnpinned = Rule(
    code: "P528",
    name: "key-type-unpinned",
    severity: .error,
    title: "The pins hold for one of a server's key types and not for the other.",
    rationale: """
      A server can have an RSA and an ECDSA certificate for one name. Which of them a client sees depends on what it
      offers. Pins taken from one handshake cover only one of them. The other clients are locked out, and a test with a
      modern client doesn't show it.
      """,
    failing: .live(
      "rsa-and-ecdsa", "The server has an ECDSA and an RSA certificate, for a key of its own each.",
      twoKeys("active: [api], backup: [api-spare]")),
    passing: .live(
      "rsa-and-ecdsa", "The server has an ECDSA and an RSA certificate, for a key of its own each.",
      twoKeys("active: [api, api-rsa], backup: [api-spare]")),
    citation: "RFC 8446 section 4.4.2.2; docs/policy.md#the-order-of-a-decision",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard let group = PinMismatches(facts, target).unpinned, group.isOfOneKeyFamily else { return nil }
        return target.finding(
          group.message, related: group.related,
          help: group.help(
            "Or remove the certificate whose key isn't pinned. Or pin its key too, or a CA key that is in both chains."),
          severity: group.severity)
      }
    })

  private static func twoKeys(_ keys: String) -> String {
    """
      api: { file: keys/api.pem }
      api-rsa: { file: keys/strong-rsa.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: api.example.com
        keys: { \(keys) }
    """
  }
}
