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
    // Which of two fields of one name counts isn't known: they stay as they are.
    guard Set(names).count == names.count else { return parts }
    var rank = -1
    let ranked = zip(names, parts).map { name, part in
      rank = order.firstIndex(of: name) ?? rank
      return (rank, part)
    }
    let sorted = ranked.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    var result = sorted.map(\.element.1)
    // What was first had no line above it that could be empty.
    for (place, entry) in sorted.enumerated() where entry.offset == 0 && place > 0 && self == .file {
      result[place].isApart = true
    }
    return result
  }
}
