/// A small policy, put together from what a test is about.
enum PolicyText {
  /// One set, used by one host, or by none.
  static func keySet(
    _ keys: [String], active: [String], backup: [String], host: [String]? = []
  ) -> String {
    var lines = ["version: 1", "keys:"] + keys.map { "  " + $0 }
    lines += ["key-sets:", "  pins:"]
    lines += ["    active: [\(active.joined(separator: ", "))]", "    backup: [\(backup.joined(separator: ", "))]"]
    if let host {
      lines += ["hosts:", "  - host: api.example.com", "    keys: pins"] + host.map { "    " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Hosts that are pinned to a root and a spare key.
  static func hosts(_ text: String) -> String {
    """
    version: 1
    keys:
      example-root: { file: keys/example-root.pem }
      api-spare: { file: keys/api-spare.csr }
    key-sets:
      pins: { active: [example-root], backup: [api-spare] }

    """ + text
  }
}
