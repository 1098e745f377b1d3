import Diagnostics

extension DocumentReader {
  /// Reads a mapping's fields into a record, as their list says.
  ///
  /// Answers the place of its first field (or of its brace), or nil where the value is no mapping.
  @discardableResult
  mutating func mapping<Record>(_ fields: Fields<Record>, into record: inout Record) -> Place? {
    let outer = field
    guard let opening = open(.mapping) else { return nil }
    defer { field = outer }
    var seen: [(name: String, place: Place)] = []
    while let name = nextName(within: fields.within) {
      guard let read = fields[name.value] else {
        add(.unknownField(name: name.value, within: fields.within, known: fields.names), at: name.place)
        skip()
        continue
      }
      if let first = seen.first(where: { $0.name == name.value }) {
        add(.duplicateField(name: name.value), at: name.place, related: first.place)
        skip()
        continue
      }
      seen.append((name.value, name.place))
      field = name
      read(&record, &self)
    }
    // Where reading had to stop, what seems to be missing may be in the rest.
    if isComplete { check(fields, given: seen, at: opening) }
    return opening
  }

  private mutating func check<Record>(
    _ fields: Fields<Record>, given: [(name: String, place: Place)], at opening: Place
  ) {
    for name in fields.required where !given.contains(where: { $0.name == name }) {
      add(.missingField(name: name, within: fields.within), at: opening)
    }
    guard !fields.alternatives.isEmpty else { return }
    let chosen = given.filter { fields.alternatives.contains($0.name) }
    if let first = chosen.first {
      for other in chosen.dropFirst() {
        add(.conflictingFields(name: other.name, other: first.name), at: other.place, related: first.place)
      }
    } else {
      add(.missingField(name: fields.alternatives.joined(separator: " or "), within: fields.within), at: opening)
    }
  }

  /// Reads a mapping whose names the policy's author chose.
  mutating func entries(_ read: (inout DocumentReader, Located<String>) -> Void) {
    let outer = field
    guard open(.mapping) != nil else { return }
    defer { field = outer }
    var seen: [String: Place] = [:]
    while let name = nextName(within: outer.value) {
      if let first = seen[name.value] {
        add(.duplicateField(name: name.value), at: name.place, related: first)
        skip()
        continue
      }
      seen[name.value] = name.place
      if Scalar.name.parse(name.value) == nil {
        add(.badScalar(field: outer.value, text: name.value, expected: Scalar.name.expected), at: name.place)
      }
      field = name
      read(&self, name)
    }
  }

  /// Reads a list; items that can't be read are left out of it.
  ///
  /// - Parameters:
  ///   - atLeastOne: True where an empty list would not mean what it seems to say.
  ///   - limit: The most items that a manifest can hold of it; the others are passed over, with a problem.
  ///   - read: Reads one item, and takes it from the stream.
  /// - Returns: The items that could be read, or nil where there is no such list, which is then a problem.
  mutating func list<Item>(
    atLeastOne: Bool = false, atMost limit: Int = .max, _ read: (inout DocumentReader) -> Item?
  ) -> [Item]? {
    let outer = field
    let start = upcoming.place.start
    guard open(.list) != nil else { return nil }
    defer { field = outer }
    let name = "item of " + outer.value
    var items: [Item] = []
    if atLeastOne, case .sequenceEnd = upcoming.content {
      let place = Place(file: file, start: start, end: take().place.end)
      add(.wrongShape(field: outer.value, expected: "a list of at least one item", found: "an empty list"), at: place)
      return nil
    }
    while true {
      switch upcoming.content {
      case .sequenceEnd, .end:
        _ = take()
        return items
      default:
        // An item that is nothing stands right behind its dash.
        var place = upcoming.place
        if place.start == place.end, place.start.column > 1 { place.start.column -= 1 }
        field = Located(name, at: place)
        if items.count == limit {
          skipRest(of: outer.value, limit: limit)
          return items
        }
        if let item = read(&self) { items.append(item) }
      }
    }
  }

  /// Passes over what a list holds beyond its limit, and its end.
  private mutating func skipRest(of list: String, limit: Int) {
    let place = skip()
    var count = limit + 1
    while true {
      switch upcoming.content {
      case .sequenceEnd, .end:
        _ = take()
        return add(
          .wrongShape(field: list, expected: "a list of at most \(limit) items", found: "one of \(count)"), at: place)
      default:
        skip()
        count += 1
      }
    }
  }

  /// Reads a list of scalars.
  mutating func list<Value>(
    of scalar: Scalar<Value>, atLeastOne: Bool = false, atMost limit: Int = .max
  ) -> [Located<Value>]? {
    list(atLeastOne: atLeastOne, atMost: limit) { $0.scalar(scalar) }
  }

  /// Reads a scalar of the field's kind.
  ///
  /// - Parameters:
  ///   - kind: What makes the text a value.
  ///   - shape: What the field takes, where it takes more than a scalar.
  /// - Returns: Nil where the text is no such value, which is then a problem.
  mutating func scalar<Value>(_ kind: Scalar<Value>, shape: String? = nil) -> Located<Value>? {
    guard let (scalar, place) = written(expected: shape ?? kind.expected) else { return nil }
    if kind.accepts(scalar), let value = kind.parse(scalar.text) { return Located(value, at: place) }
    add(.badScalar(field: field.value, text: scalar.text, expected: kind.expected), at: place)
    return nil
  }

  /// Reads a scalar's text as it was written; nil, with a problem, where something else or nothing stands.
  mutating func written(expected: String) -> (scalar: YAMLScalar, place: Place)? {
    switch upcoming.content {
    case .scalar(let scalar) where !scalar.isNothing:
      return (scalar, take().place)
    case .alias, .end:
      // Already a problem of its own.
      _ = take()
      return nil
    default:
      refuse(expected: expected)
      return nil
    }
  }

  /// True where the next value is a mapping.
  var isMappingNext: Bool {
    if case .mappingStart = upcoming.content { true } else { false }
  }

  /// Where the value that comes next begins to say something: its first name, item or text.
  enum Shape: String {
    case mapping = "a mapping"
    case list = "a list"
  }

  /// Steps into a mapping or a list, and answers where its first part stands; takes anything else, with a problem.
  private mutating func open(_ shape: Shape) -> Place? {
    switch (shape, upcoming.content) {
    case (.mapping, .mappingStart), (.list, .sequenceStart):
      let start = take().place
      return start.start == start.end ? upcoming.place : start
    case (_, .alias), (_, .end):
      _ = take()
      return nil
    default:
      refuse(expected: shape.rawValue)
      return nil
    }
  }

  private mutating func refuse(expected: String) {
    let found =
      switch upcoming.content {
      case .scalar(let scalar): scalar.isNothing ? "nothing" : "a single value"
      case .sequenceStart: Shape.list.rawValue
      default: Shape.mapping.rawValue
      }
    var place = skip()
    // Nothing has no width: what is pointed at is the field that has no value.
    if place.start == place.end { place = field.place }
    add(.wrongShape(field: field.value, expected: expected, found: found), at: place)
  }

  /// The name that a mapping goes on with, or nil at its end.
  ///
  /// Names that aren't scalars are skipped with their values.
  private mutating func nextName(within: String) -> Located<String>? {
    while true {
      switch upcoming.content {
      case .scalar(let scalar):
        return Located(scalar.text, at: take().place)
      case .mappingEnd, .end:
        _ = take()
        return nil
      case .alias:
        skip()
        skip()
      case .sequenceStart:
        let place = skip()
        add(.wrongShape(field: within, expected: "a field name", found: Shape.list.rawValue), at: place)
        skip()
      default:
        let place = skip()
        add(.wrongShape(field: within, expected: "a field name", found: Shape.mapping.rawValue), at: place)
        skip()
      }
    }
  }
}
