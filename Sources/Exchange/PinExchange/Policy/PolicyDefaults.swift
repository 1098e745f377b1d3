import PinFormat
import PinPolicy

/// What most entries agree on, and how an entry says what it doesn't take from there.
///
/// An entry can't take a default away, only replace it; so what one entry lacks isn't a default for the others.
struct PolicyDefaults {
  var mode: Mode?
  var includesSubdomains = false
  var expiry: Expiry?
  var reportURIs: [String]?
  var requirement: Requirement?

  struct Expiry: Hashable {
    var expires: Instant
    var onExpiry: ExpiryAction
  }

  init(of hosts: [PinList.Host]) {
    let pinned = hosts.filter { $0.mode != .off }
    mode = Self.agreed(pinned.map(\.mode))
    expiry = Self.agreed(pinned.map(Self.expiry))
    reportURIs = Self.agreed(pinned.map { $0.reportURIs.isEmpty ? nil : $0.reportURIs })
    if Self.agreed(pinned.map(\.requirement)) == .leafAndCA { requirement = .leafAndCA }
    // With two or three entries, it is clearer at each entry.
    if pinned.count > 3 { includesSubdomains = Self.agreed(pinned.map { $0.subdomains == .all }) ?? false }
  }

  private static func expiry(of host: PinList.Host) -> Expiry? {
    host.expires.flatMap { expires in host.onExpiry.map { Expiry(expires: expires, onExpiry: $0) } }
  }

  /// The value of more than half of all, where all have one; of the first of several as frequent, the one met first.
  private static func agreed<Value: Hashable>(_ values: [Value?]) -> Value? {
    var counts: [Value: Int] = [:]
    for value in values {
      guard let value else { return nil }
      counts[value, default: 0] += 1
    }
    return counts.first { $0.value * 2 > values.count }?.key
  }

  /// The lines of `defaults:`.
  var fields: [String] {
    var fields: [String] = []
    if let mode { fields.append("mode: \(mode.rawValue)") }
    if includesSubdomains { fields.append("include-subdomains: true") }
    if let expiry { fields += Self.fields(expiry) }
    if let reportURIs { fields.append(Self.field(reportURIs)) }
    if let requirement { fields.append("require: \(requirement.rawValue)") }
    return fields
  }

  /// The lines of an entry that are before its keys, where they differ from the defaults.
  func fieldsBeforeKeys(of host: PinList.Host) -> [String] {
    var fields: [String] = []
    if includesSubdomains != (host.subdomains == .all), !host.host.isAddress {
      fields.append("include-subdomains: \(host.subdomains == .all)")
    }
    if host.mode != mode ?? .enforce { fields.append("mode: \(host.mode.rawValue)") }
    return fields
  }

  /// The lines of an entry that are behind its keys, where they differ from the defaults.
  func fieldsBehindKeys(of host: PinList.Host) -> [String] {
    var fields: [String] = []
    if host.requirement != requirement ?? .any { fields.append("require: \(host.requirement.rawValue)") }
    if let own = Self.expiry(of: host), own != expiry { fields += Self.fields(own) }
    if !host.reportURIs.isEmpty, host.reportURIs != reportURIs { fields.append(Self.field(host.reportURIs)) }
    return fields
  }

  private static func fields(_ expiry: Expiry) -> [String] {
    ["expires: \(expiry.expires.written)", "on-expiry: \(expiry.onExpiry.rawValue)"]
  }

  private static func field(_ uris: [String]) -> String {
    "report-uris: [\(uris.map { ScalarText.unmistakable($0, inFlow: true) }.joined(separator: ", "))]"
  }
}
