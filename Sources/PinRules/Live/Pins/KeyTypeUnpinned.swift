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
      A server can have an RSA and an ECDSA certificate under one name; which of them a client sees depends on what it
      offers. Pins that were taken from one handshake know one of them only. The other clients are locked out, and a test
      with a modern one doesn't show it.
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
            "Pin the key of the other certificate too, or a CA's key that both chains hold, or have that certificate "
              + "taken out of service."),
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
