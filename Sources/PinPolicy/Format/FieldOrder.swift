/// The order in which people write the fields of each mapping: that of docs/policy.md, and `manifest` before `defaults`.
enum FieldOrder {
  static let file = ["version", "owner", "manifest", "defaults", "keys", "key-sets", "hosts"]
  static let defaults = ["mode", "include-subdomains", "expires", "on-expiry", "report-uris", "require", "trust"]
  static let manifest = [
    "audience", "refresh-after", "expires-after", "on-stale", "client-max-age", "clients", "unpinned-hosts", "limits",
  ]
  static let limits = ["max-lifetime", "expiry-warning", "max-hosts", "max-blast-radius"]
  static let key = ["file", "pin", "position", "denied", "custody", "created", "status", "steps", "reason"]
  static let steps = ["published", "active", "retiring", "retired"]
  static let keySet = ["active", "backup", "reason"]
  static let host = [
    "host", "port", "include-subdomains", "mode", "keys", "require", "expires", "on-expiry", "report-uris", "trust",
    "owner", "reason", "probe",
  ]
  static let trust = [
    "anchors", "intermediates", "certificate", "server-name", "exceptions", "minimum-rsa-bits", "minimum-ec-bits",
    "signatures", "minimum-tls", "reason",
  ]
  static let exception = ["failure", "certificate", "until", "reason"]

  private static let all = [file, defaults, manifest, limits, key, steps, keySet, host, trust, exception]

  /// The order of the mapping that a field belongs to, as far as the names beside it tell.
  static func order(of name: String, among names: [String]) -> [String] {
    func fit(_ order: [String]) -> Int { names.count(where: order.contains) }
    return all.filter { $0.contains(name) }.max { fit($0) < fit($1) } ?? [name]
  }
}
