/// The policy of a set-up: one entry for its host, pinned to the root unless it says otherwise.
struct SetupPolicy: Sendable {
  /// Names of certificates that the scene keeps.
  var active = ["root"]
  var backup = ["spare"]
  var denied: [String] = []
  /// Further fields of the host entry, one a line.
  var entry: [String] = []
  /// Further host entries, each a flow mapping such as `{ host: a.test, keys: one }`.
  var others: [String] = []
  /// Days from now until the entry expires.
  var lifetime = 200
  /// The port of the entry; nil for none.
  var port: String?
  /// A host other than the set-up's own.
  var host: String?

  /// The policy file; every key is the file `keys/NAME.pem`.
  func text(host name: String, expires: String) -> String {
    var lines = ["version: 1", "owner: tests@example.com", "manifest: { audience: test }", "keys:"]
    lines += active.map { "  \($0): { file: keys/\($0).pem }" }
    lines += backup.map { "  \($0): { file: keys/\($0).pem, custody: a safe, created: 2024-01-01 }" }
    lines += denied.map { "  \($0): { file: keys/\($0).pem, denied: found in a public bucket }" }
    lines += ["key-sets:", "  one:", "    active: [\(active.joined(separator: ", "))]"]
    lines += ["    backup: [\(backup.joined(separator: ", "))]"]
    lines += ["defaults:", "  expires: \(expires)", "  on-expiry: enforce"]
    lines += ["  report-uris: [https://reports.example.org/pins]"]
    lines += ["hosts:", "  - host: \(host ?? name)", "    keys: one"]
    if let port { lines.append("    port: \(port)") }
    lines += entry.map { "    " + $0 }
    lines += others.map { "  - " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }
}
