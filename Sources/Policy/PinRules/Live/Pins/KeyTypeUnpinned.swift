import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server with two certificates, one of which nobody thought of.
  static let keyTypeUnpinned = Rule(
    code: "P528",
    name: "key-type-unpinned",
    severity: .error,
    title: "The pins match only one of a server's two key types.",
    rationale: """
      A server can have an RSA and an ECDSA certificate for one name. Which one a client gets depends on the signature
      algorithms that the client offers. Pins taken from one handshake cover only one of them. Clients that get the
      other one are locked out, and a test with a modern client doesn't show it.
      """,
    failing: .live(
      "rsa-and-ecdsa", "The server has an ECDSA and an RSA certificate, each with its own key.",
      twoKeys("active: [api], backup: [api-spare]")),
    passing: .live(
      "rsa-and-ecdsa", "The server has an ECDSA and an RSA certificate, each with its own key.",
      twoKeys("active: [api, api-rsa], backup: [api-spare]")),
    citation: "RFC 8446 section 4.4.2.2; docs/policy.md#the-order-of-a-decision",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard let group = PinMismatches(facts, target).unpinned, group.isOfOneKeyFamily else { return nil }
        return target.finding(
          group.message, related: group.related,
          help: group.help(
            "You can also remove the certificate whose key isn't pinned, or pin its key too, or pin a CA key that is in both chains."
          ),
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
