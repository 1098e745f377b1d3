/// A format that the scanner reads, as its messages name it.
package struct CanonicalFormat: Sendable {
  package let name: StaticString
  /// All fields that any object of the format has, so that a misplaced one differs from an unknown one.
  let fields: [StaticString]

  package init(name: StaticString, fields: [StaticString]) {
    self.name = name
    self.fields = fields
  }

  static let manifest = CanonicalFormat(
    name: "manifest",
    fields: entryFields + [
      "active", "anchors", "audience", "backup", "certificate", "certificates", "commit", "compiler", "critical",
      "denied", "drastic-change", "exceptions", "expires", "failure", "hosts", "intermediates", "issued", "key-sets",
      "keyid", "keys", "minimum-ec-bits", "minimum-rsa-bits", "minimum-tls", "on-stale", "pin", "position", "previous",
      "provenance", "reason", "refresh-after", "serial", "server-name", "sig", "signatures", "signed", "sources",
      "system-anchors", "type", "unpinned-hosts", "until", "version",
    ])

  static let keyset = CanonicalFormat(
    name: "keyset",
    fields: [
      "audience", "critical", "expires", "issued", "keyid", "keys", "keyset-version", "minimum-serial", "roots",
      "serial-epoch", "sig", "signatures", "signed", "signers", "threshold", "type", "version",
    ])
}
