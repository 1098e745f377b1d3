/// A format that the scanner reads, as its messages name it.
enum CanonicalFormat {
  case manifest
  case keyset
  case evidence

  var name: StaticString {
    switch self {
    case .manifest: "manifest"
    case .keyset: "keyset"
    case .evidence: "evidence"
    }
  }

  /// All fields that any object of the format has, so that a misplaced one is told from an unknown one.
  var fields: [StaticString] {
    switch self {
    case .manifest: Self.fieldsOfManifest
    case .keyset: Self.fieldsOfKeyset
    case .evidence: Self.fieldsOfEvidence
    }
  }

  private static let fieldsOfManifest: [StaticString] = [
    "active", "anchors", "audience", "backup", "certificate", "certificates", "commit", "compiler", "critical",
    "denied", "exceptions", "expires", "failure", "host", "hosts", "include-subdomains", "intermediates", "issued",
    "key-set", "key-sets", "keyid", "keys", "minimum-ec-bits", "minimum-rsa-bits", "minimum-tls", "mode", "on-expiry",
    "on-stale", "pin", "port", "position", "previous", "provenance", "reason", "refresh-after", "reporting", "require",
    "serial", "server-name", "sig", "signatures", "signed", "sources", "system-anchors", "trust", "type",
    "unpinned-hosts", "until", "version",
  ]

  private static let fieldsOfKeyset: [StaticString] = [
    "audience", "critical", "expires", "issued", "keyid", "keys", "keyset-version", "minimum-serial", "roots",
    "serial-epoch", "sig", "signatures", "signed", "signers", "threshold", "type", "version",
  ]

  private static let fieldsOfEvidence: [StaticString] = [
    "address", "addresses", "alert", "attempts", "begun", "certificates", "chain", "client-certificate", "count",
    "ended", "failure", "host", "key-type", "kind", "message", "numbers", "observed", "partial", "port", "server-date",
    "shards", "staple", "starttls", "stores", "targets", "timestamps", "tls-version", "tool", "type", "unresolved",
    "version", "visits",
  ]
}
