/// What a mapping of a policy file is, which says how its fields are ordered.
enum MappingKind {
  case file
  case defaults
  case manifest
  case limits
  /// `keys:` of a file: names that the author chose, in the author's order.
  case keys
  case key
  case steps
  case keySets
  case keySet
  case hosts
  case host
  case trust
  case exceptions
  case exception
  /// A list of scalars, or what the format doesn't know.
  case other

  /// The kind of a field's value.
  func field(_ name: String) -> MappingKind {
    switch (self, name) {
    case (.file, "defaults"): .defaults
    case (.file, "manifest"): .manifest
    case (.manifest, "limits"): .limits
    case (.file, "keys"): .keys
    case (.keys, _): .key
    case (.key, "steps"): .steps
    case (.file, "key-sets"): .keySets
    case (.keySets, _): .keySet
    case (.file, "hosts"): .hosts
    case (.host, "keys"): .keySet
    case (.host, "trust"), (.defaults, "trust"): .trust
    case (.trust, "exceptions"): .exceptions
    default: .other
    }
  }

  /// The kind of a list's items.
  var item: MappingKind {
    switch self {
    case .hosts: .host
    case .exceptions: .exception
    default: .other
    }
  }

  /// The order in which people write the fields; nil where theirs is kept.
  var order: [String]? {
    switch self {
    case .file: FieldOrder.file
    case .defaults: FieldOrder.defaults
    case .manifest: FieldOrder.manifest
    case .limits: FieldOrder.limits
    case .key: FieldOrder.key
    case .steps: FieldOrder.steps
    case .keySet: FieldOrder.keySet
    case .host: FieldOrder.host
    case .trust: FieldOrder.trust
    case .exception: FieldOrder.exception
    case .keys, .keySets, .hosts, .exceptions, .other: nil
    }
  }

  /// True for fields whose text is an instant, which no reader needs quotes for.
  func isInstant(_ name: String) -> Bool {
    switch self {
    case .steps: true
    case .key: name == "created"
    case .host, .defaults: name == "expires"
    case .exception: name == "until"
    default: false
    }
  }

  /// Parts in order: known fields as people write them, the others behind the one that they followed.
  func ordered(_ parts: [LaidOut.Part]) -> [LaidOut.Part] {
    guard let order else { return parts }
    let names = parts.map { $0.name?.scalar?.text ?? "" }
    // Duplicate fields keep their order, because it isn't known which one counts.
    guard Set(names).count == names.count else { return parts }
    var rank = -1
    let ranked = zip(names, parts).map { name, part in
      rank = order.firstIndex(of: name) ?? rank
      return (rank, part)
    }
    let sorted = ranked.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    var result = sorted.map(\.element.1)
    // The first field had no empty line above it; it gets one if it moves down.
    for (place, entry) in sorted.enumerated() where entry.offset == 0 && place > 0 && self == .file {
      result[place].isApart = true
    }
    return result
  }
}

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
