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
    var given = GivenFields(in: file)
    while isNameNext(within: fields.within) {
      guard let number = upcomingField(of: fields) else {
        let name = upcomingText
        add(.unknownField(name: name, within: fields.within, known: fields.names), at: take().place)
        skip()
        continue
      }
      let place = take().place
      let name = Located(fields.names[number], at: place)
      if let first = given[number] {
        add(.duplicateField(name: name.value), at: place, related: first)
        skip()
        continue
      }
      given.insert(number, at: place)
      field = FieldName(name)
      fields[number](&record, &self)
    }
    // Where reading had to stop, what seems to be missing may be in the rest.
    if isComplete { check(fields, given: given, at: opening) }
    return opening
  }

  private mutating func check<Record>(_ fields: Fields<Record>, given: borrowing GivenFields, at opening: Place) {
    for number in fields.required where given[number] == nil {
      add(.missingField(name: fields.names[number], within: fields.within), at: opening)
    }
    guard !fields.alternatives.isEmpty else { return }
    var first: (name: String, place: Place)?
    for position in 0..<given.count {
      let number = given.field(position)
      let name = fields.names[number]
      guard fields.alternatives.contains(number), let place = given[number] else { continue }
      if let first {
        add(.conflictingFields(name: name, other: first.name), at: place, related: first.place)
      } else {
        first = (name, place)
      }
    }
    if first == nil {
      let names = fields.alternatives.map { fields.names[$0] }
      add(.missingField(name: names.joined(separator: " or "), within: fields.within), at: opening)
    }
  }

  /// Reads a mapping whose names the policy's author chose.
  mutating func entries(_ read: (inout DocumentReader, Located<String>) -> Void) {
    let outer = field
    guard open(.mapping) != nil else { return }
    defer { field = outer }
    var seen: [String: Place] = [:]
    while isNameNext(within: outer.value) {
      let text = upcomingText
      let name = Located(text, at: take().place)
      if let first = seen.place(of: name) {
        add(.duplicateField(name: name.value), at: name.place, related: first)
        skip()
        continue
      }
      if Scalar.name.parse(name.value) == nil {
        add(.badScalar(field: outer.value, text: name.value, expected: Scalar.name.expected), at: name.place)
      }
      field = FieldName(name)
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
    var items: [Item] = []
    if atLeastOne, upcoming.kind == .sequenceEnd {
      let place = Place(file: file, start: start, end: take().place.end)
      add(.wrongShape(field: outer.value, expected: "a list of at least one item", found: "an empty list"), at: place)
      return nil
    }
    while true {
      switch upcoming.kind {
      case .sequenceEnd, .end:
        _ = take()
        return items
      default:
        // An item that is nothing stands right behind its dash.
        var place = upcoming.place
        if place.start == place.end, place.start.column > 1 { place.start.column -= 1 }
        field = FieldName(itemOf: outer, at: place)
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
      switch upcoming.kind {
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
  mutating func written(expected: @autoclosure () -> String) -> (scalar: YAMLScalar, place: Place)? {
    switch upcoming.kind {
    case .scalar where !upcoming.isNothing:
      let scalar = YAMLScalar(text: upcomingText, style: upcoming.style)
      return (scalar, take().place)
    case .alias, .end:
      // Already a problem of its own.
      _ = take()
      return nil
    default:
      refuse(expected: expected())
      return nil
    }
  }

  /// True where the next value is a mapping.
  var isMappingNext: Bool {
    upcoming.kind == .mappingStart
  }

  /// Where the value that comes next begins to say something: its first name, item or text.
  enum Shape: String {
    case mapping = "a mapping"
    case list = "a list"
  }

  /// Steps into a mapping or a list, and answers where its first part stands; takes anything else, with a problem.
  private mutating func open(_ shape: Shape) -> Place? {
    switch (shape, upcoming.kind) {
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
      switch upcoming.kind {
      case .scalar: upcoming.isNothing ? "nothing" : "a single value"
      case .sequenceStart: Shape.list.rawValue
      default: Shape.mapping.rawValue
      }
    var place = skip()
    // Nothing has no width: what is pointed at is the field that has no value.
    if place.start == place.end { place = field.place }
    add(.wrongShape(field: field.value, expected: expected, found: found), at: place)
  }

  /// True where the name comes that a mapping goes on with; takes the mapping's end where it doesn't.
  ///
  /// Names that aren't scalars are skipped with their values.
  private mutating func isNameNext(within: @autoclosure () -> String) -> Bool {
    while true {
      switch upcoming.kind {
      case .scalar: return true
      case .mappingEnd, .end:
        _ = take()
        return false
      case .alias:
        skip()
        skip()
      case .sequenceStart:
        let place = skip()
        add(.wrongShape(field: within(), expected: "a field name", found: Shape.list.rawValue), at: place)
        skip()
      default:
        let place = skip()
        add(.wrongShape(field: within(), expected: "a field name", found: Shape.mapping.rawValue), at: place)
        skip()
      }
    }
  }
}

extension [String: Place] {
  /// Where a name was first given; nil where that is now.
  fileprivate mutating func place(of name: Located<String>) -> Place? {
    func same(_ place: inout Place) -> Place { place }
    let first = same(&self[name.value, default: name.place])
    return first == name.place ? nil : first
  }
}
