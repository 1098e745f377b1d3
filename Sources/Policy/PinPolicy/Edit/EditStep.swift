/// The parts of an edit that are made one by one.
enum EditStep {
  case append(key: String, list: PolicyEdit.List, set: PolicyEdit.KeySet, isMoved: Bool)
  case drop(key: String, list: PolicyEdit.List, set: PolicyEdit.KeySet, isMoved: Bool)
  case appendAnchor(String, PolicyEdit.Owner)
  case set([String], String, key: String)
  case unset([String], key: String)

  /// What a step is about.
  enum Target: Hashable {
    case key(String)
    case set(PolicyEdit.KeySet)
    case trust(PolicyEdit.Owner)
  }

  var target: Target {
    switch self {
    case .append(_, _, let set, _), .drop(_, _, let set, _): .set(set)
    case .appendAnchor(_, let owner): .trust(owner)
    case .set(_, _, let key), .unset(_, let key): .key(key)
    }
  }

  var isRemoval: Bool {
    switch self {
    case .drop, .unset: true
    case .append, .appendAnchor, .set: false
    }
  }

  func make(in text: inout EditedText) throws(PolicyEditError) {
    switch self {
    case .append(let key, let list, let set, let isMoved):
      try Self.append(key, to: list, of: try text.tree.mapping(of: set), isMoved: isMoved, &text)
    case .drop(let key, let list, let set, let isMoved):
      let mapping = try text.tree.mapping(of: set)
      guard let field = mapping[list.rawValue] else { throw .notListed(key: key, list: list.rawValue) }
      let edit = try ListEdit(field)
      guard let item = edit.index(of: key) else { throw .notListed(key: key, list: list.rawValue) }
      let takesComment = isMoved && edit.isBlock && mapping[list.other.rawValue].map(\.takesComments) ?? false
      try edit.remove(item, takesComment: takesComment, from: &text)
    case .appendAnchor(let path, let owner):
      guard let field = try text.tree.trust(of: owner)["anchors"] else { throw .noTarget("'anchors:'") }
      let edit = try ListEdit(field)
      guard edit.index(of: path) == nil else { throw .alreadyListed(key: path, list: "anchors") }
      try edit.append(path, comment: [], to: &text)
    case .set(let field, let value, let key):
      try Self.set(field[...], to: value, of: try text.tree.mapping(ofKey: key), &text)
    case .unset(let field, let key):
      try Self.unset(field[...], of: try text.tree.mapping(ofKey: key), &text)
    }
  }

  private static func append(
    _ key: String, to list: PolicyEdit.List, of set: YAMLTree.Node, isMoved: Bool, _ text: inout EditedText
  ) throws(PolicyEditError) {
    let other = try set[list.other.rawValue].map { entry throws(PolicyEditError) in try ListEdit(entry) }
    var comment: [UInt8] = []
    if isMoved, let other, let item = other.index(of: key) { comment = other.comment(behind: item, in: text) ?? [] }
    if let field = set[list.rawValue] {
      let edit = try ListEdit(field)
      guard edit.index(of: key) == nil else { throw .alreadyListed(key: key, list: list.rawValue) }
      return try edit.append(key, comment: edit.isBlock ? comment : [], to: &text)
    }
    let fields = try FieldEdit(set)
    if !set.isFlow, let other, other.isBlock {
      let lead = try other.lead(in: text).dropFirst(fields.indentation(in: text).count)
      let line = String(decoding: lead + PolicyEdit.written(key) + comment, as: UTF8.self)
      try fields.add(list.rawValue, "", lines: [line], order: setOrder, to: &text)
    } else {
      try fields.add(
        list.rawValue, "[" + String(decoding: PolicyEdit.written(key), as: UTF8.self) + "]",
        order: setOrder, to: &text)
    }
  }

  private static let setOrder = FieldSchema.policy.field("key-sets")?.other?.fieldNames ?? []

  private static func set(
    _ path: ArraySlice<String>, to value: String, of mapping: YAMLTree.Node,
    schema: FieldSchema? = FieldSchema.policy.field("keys")?.other, _ text: inout EditedText
  ) throws(PolicyEditError) {
    guard let name = path.first else { return }
    let rest = path.dropFirst()
    if let entry = mapping[name] {
      return rest.isEmpty
        ? try text.replace(entry.value, with: value)
        : try set(rest, to: value, of: entry.value, schema: schema?.field(name), &text)
    }
    let written = rest.first.map { "{ \($0): \(value) }" } ?? value
    try FieldEdit(mapping).add(name, written, order: schema?.fieldNames ?? [], to: &text)
  }

  private static func unset(
    _ path: ArraySlice<String>, of mapping: YAMLTree.Node, _ text: inout EditedText
  ) throws(PolicyEditError) {
    guard let name = path.first, let entry = mapping[name] else { throw .noField(path.first ?? "") }
    let rest = path.dropFirst()
    // If this is the mapping's only field, the mapping is removed too.
    guard rest.isEmpty || entry.value.entries?.count == 1 && entry.value[rest.first ?? ""] != nil else {
      return try unset(rest, of: entry.value, &text)
    }
    try FieldEdit(mapping).remove(name, from: &text)
  }
}

extension YAMLTree.Entry {
  /// True for a list of which every item has a line, and so room for a comment.
  fileprivate var takesComments: Bool { !value.isFlow && value.items?.isEmpty == false }
}
