import PinPolicy

/// What a word of a policy file stands for, by its place in the file.
enum FieldRole: Equatable {
  /// A field's name, as the format has it.
  case field
  /// The name under which a key, or a key set, is declared.
  case keyName
  case setName
  /// Where a set names a key, and an entry a set.
  case keyReference
  case setReference
  case host
  /// A file beside the policy.
  case path
  case instant
  case duration
  /// Any other value.
  case value

  /// The role of a field's name, by the way to the field.
  static func ofName(at path: [Outline.Step]) -> FieldRole {
    guard path.count == 2 else { return .field }
    switch path[0] {
    case .field("keys"): return .keyName
    case .field("key-sets"): return .setName
    default: return .field
    }
  }

  /// The role of a value, by the way to the field or item that has it.
  static func ofValue(at path: [Outline.Step]) -> FieldRole {
    if path.first == .field("key-sets"), path.count == 4, isKeyList(path[2]), path[3] == .item { return .keyReference }
    if path.starts(with: [.field("hosts"), .item, .field("keys")]) {
      if path.count == 3 { return .setReference }
      return path.count == 5 && isKeyList(path[3]) && path[4] == .item ? .keyReference : .value
    }
    switch FieldSchema.at(path)?.definition {
    case "path": return .path
    case "hostName": return .host
    case "instant": return .instant
    case "duration": return .duration
    default: return .value
    }
  }

  private static func isKeyList(_ step: Outline.Step) -> Bool { step == .field("active") || step == .field("backup") }
}

extension FieldSchema {
  /// What may be behind a path; nil where nothing may.
  static func at(_ path: [Outline.Step]) -> FieldSchema? {
    path.reduce(path.first == .field("tests") ? .tests : .policy) { schema, step in
      switch step {
      case .field(let name): schema?.field(name)
      case .item: schema?.item
      }
    }
  }
}
