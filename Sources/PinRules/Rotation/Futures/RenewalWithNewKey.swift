import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A new leaf key.
  static let renewalWithNewKey = Rule(
    code: "P621",
    name: "renewal-with-new-key",
    severity: .warning,
    title: "Clients are locked out if a certificate is renewed with a new key.",
    rationale: """
      Many tools make a new key at each renewal unless told otherwise (`certbot --reuse-key`), and certificates live ever
      shorter. If no key above the leaf is pinned, the next renewal then locks every client out. This is said once, when
      a release begins to depend on the leaf's key. It is never an error: only you know whether the renewal keeps the
      key.
      """,
    failing: .rotation(hosts("{ active: [api-2025], backup: [spare] }"), after: .rotation(6, on: "2026-11-01", hosts(nil))),
    passing: .rotation(
      hosts("{ active: [api-2025, root], backup: [spare] }"), after: .rotation(6, on: "2026-11-01", hosts(nil))),
    citation: "docs/rotation.md#futures; RFC 7469 section 4.3",
    check: .rotation { _, facts in facts.findings(.renewal) })

  private static func hosts(_ keys: String?) -> String {
    """
    hosts:
      - { host: api.example.com, keys: { active: [root], backup: [spare] } }
      \(keys.map { "- { host: www.example.com, keys: \($0) }" } ?? "")
    """
  }
}
