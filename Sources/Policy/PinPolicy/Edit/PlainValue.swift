extension YAMLTree.Node {
  /// True if two values say the same, except in one field of the outer mapping; takes no longer than to read
  /// the shorter of them.
  func saysSame(as other: YAMLTree.Node, but ignored: String? = nil) -> Bool {
    switch (content, other.content) {
    case (.scalar(let one), .scalar(let two)): return one.text == two.text && one.style == two.style
    case (.list(let one), .list(let two)):
      return one.count == two.count && zip(one, two).allSatisfy { $0.saysSame(as: $1) }
    case (.mapping(let one), .mapping(let two)):
      guard abs(one.count - two.count) <= (ignored == nil ? 0 : 1) else { return false }
      let (fields, others) = (Self.fields(one, but: ignored), Self.fields(two, but: ignored))
      return fields.count == others.count
        && fields.allSatisfy { name, value in others[name].map { $0.saysSame(as: value) } ?? false }
    default: return false
    }
  }

  private static func fields(_ entries: [YAMLTree.Entry], but ignored: String?) -> [String: YAMLTree.Node] {
    var fields: [String: YAMLTree.Node] = [:]
    for entry in entries where ignored == nil || entry.text != ignored { fields[entry.text ?? ""] = entry.value }
    return fields
  }
}

/// A value without its place.
indirect enum PlainValue: Hashable {
  case scalar(String, YAMLScalar.Style)
  case list([PlainValue])
  case mapping([String: PlainValue])

  /// A step from a value to one inside it.
  enum Step: Hashable {
    case field(String)
    case item(Int)
  }

  init(_ node: YAMLTree.Node) {
    switch node.content {
    case .scalar(let scalar): self = .scalar(scalar.text, scalar.style)
    case .list(let items): self = .list(items.map(PlainValue.init))
    case .mapping(let entries):
      self = .mapping(entries.reduce(into: [:]) { $0[$1.text ?? ""] = PlainValue($1.value) })
    }
  }

  /// A key's name as an edit writes it.
  static func name(_ text: String) -> PlainValue {
    .scalar(text, PolicyEdit.written(text).first == UInt8(ascii: "\"") ? .quoted : .plain)
  }

  var text: String? {
    if case .scalar(let text, _) = self { text } else { nil }
  }

  static func path(toKey name: String) -> [Step] { [.field("keys"), .field(name)] }

  /// The value at the end of a path; setting one makes the mappings on the way to it.
  subscript(path: some Collection<Step>) -> PlainValue? {
    get {
      guard let first = path.first else { return self }
      return self[first]?[Array(path.dropFirst())]
    }
    set {
      guard let first = path.first else {
        if let newValue { self = newValue }
        return
      }
      let rest = Array(path.dropFirst())
      guard !rest.isEmpty else { return self[first] = newValue }
      var inner = self[first] ?? .mapping([:])
      inner[rest] = newValue
      self[first] = inner
    }
  }

  private subscript(step: Step) -> PlainValue? {
    get {
      switch (self, step) {
      case (.mapping(let fields), .field(let name)): fields[name]
      case (.list(let items), .item(let number)) where items.indices.contains(number): items[number]
      default: nil
      }
    }
    set {
      switch (self, step) {
      case (.mapping(var fields), .field(let name)):
        fields[name] = newValue
        self = .mapping(fields)
      case (.list(var items), .item(let number)) where items.indices.contains(number):
        if let newValue { items[number] = newValue }
        self = .list(items)
      default: break
      }
    }
  }
}
