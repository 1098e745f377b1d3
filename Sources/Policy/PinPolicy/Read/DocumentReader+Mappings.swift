import Diagnostics

extension DocumentReader {
  /// Reads a mapping's fields into a record, as their list says.
  ///
  /// Answers the place of its first field (or of its brace), or nil where the value isn't a mapping.
  @discardableResult
  mutating func mapping<Record>(_ fields: Fields<Record>, into record: inout Record) -> Place? {
    let outer = field
    guard let opening = open(.mapping) else { return nil }
    let first = given.count
    defer {
      field = outer
      while given.count > first { given.removeLast() }
    }
    while isNameNext(within: fields.within) {
      guard let number = upcoming({ fields.index(of: $0) }) else {
        let name = upcomingText
        let place = take().place
        // A merge key's alias is a problem of its own.
        if name != "<<" || upcoming.kind != .alias {
          add(.unknownField(name: name, within: fields.within, known: fields.names), at: place)
        }
        skip()
        continue
      }
      let place = take().place
      let name = Located(fields.names[number], at: place)
      if let earlier = given[first...].first(where: { $0.number == number }) {
        add(.duplicateField(name: name.value), at: place, related: earlier.place)
        skip()
        continue
      }
      given.append((number, place))
      field = FieldName(name)
      fields[number](&record, &self)
    }
    // If reading stopped early, fields that seem missing may be in the rest.
    if isComplete { check(fields, given: first, at: opening) }
    return opening
  }

  /// Looks for fields that are missing, and for those that don't go together; the mapping's own are those given from
  /// `start` on.
  private mutating func check<Record>(_ fields: Fields<Record>, given start: Int, at opening: Place) {
    for number in fields.required where !given[start...].contains(where: { $0.number == number }) {
      add(.missingField(name: fields.names[number], within: fields.within), at: opening)
    }
    guard !fields.alternatives.isEmpty else { return }
    var first: (name: String, place: Place)?
    for index in start..<given.count where fields.alternatives.contains(given[index].number) {
      let (number, place) = given[index]
      if let first {
        add(.conflictingFields(name: fields.names[number], other: first.name), at: place, related: first.place)
      } else {
        first = (fields.names[number], place)
      }
    }
    if first == nil {
      let names = fields.alternatives.map { fields.names[$0] }
      add(.missingField(name: names.joined(separator: " or "), within: fields.within), at: opening)
    }
  }

  /// Reads a mapping whose names the policy's author chose.
  mutating func entries(
    named kind: Scalar<String> = .name, atLeastOne: Bool = false,
    _ read: (inout DocumentReader, Located<String>) -> Void
  ) {
    let outer = field
    guard let start = open(.mapping) else { return }
    defer { field = outer }
    if atLeastOne, upcoming.kind == .mappingEnd {
      add(.wrongShape(field: outer.value, expected: "at least one entry", found: "an empty mapping"), at: start)
    }
    var seen: [String: Place] = [:]
    while isNameNext(within: outer.value) {
      let text = upcomingText
      let name = Located(text, at: take().place)
      if let first = seen.place(of: name) {
        add(.duplicateField(name: name.value), at: name.place, related: first)
        skip()
        continue
      }
      if kind.parse(text.utf8Span.span) == nil {
        add(.badScalar(field: outer.value, text: name.value, expected: kind.expected), at: name.place)
      }
      field = FieldName(name)
      read(&self, name)
    }
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
