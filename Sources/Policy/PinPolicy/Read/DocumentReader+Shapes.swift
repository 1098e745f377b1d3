import Diagnostics
import PinFormat

extension DocumentReader {
  /// Reads a list; items that can't be read are left out of it.
  ///
  /// - Parameters:
  ///   - atLeastOne: True where an empty list would not mean what it seems to say.
  ///   - limit: The most items that a manifest can hold of it; the others are skipped, with a problem.
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
        // An empty item has no width, so point to its dash.
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
  /// - Returns: Nil where the text isn't such a value, which is then a problem.
  mutating func scalar<Value>(_ kind: Scalar<Value>, shape: String? = nil) -> Located<Value>? {
    guard isTextNext(expected: shape ?? kind.expected) else { return nil }
    let style = upcoming.style
    if let value = upcoming({ kind.value(of: $0, style) }) { return Located(value, at: take().place) }
    let tooLong = upcoming({ kind.isTooLong($0) ? TextScan.encodedBytes($0) : nil })
    let (scalar, place) = written()
    if let tooLong {
      add(.tooLong(field: field.value, bytes: tooLong, limit: kind.maximumBytes), at: place)
      return nil
    }
    add(.badScalar(field: field.value, text: scalar.text, expected: kind.expected), at: place)
    return nil
  }

  /// True where a scalar comes next that says something; anything else is taken, with a problem.
  mutating func isTextNext(expected: @autoclosure () -> String) -> Bool {
    switch upcoming.kind {
    case .scalar where !upcoming.isNothing: return true
    case .alias, .end:
      // Already reported as a problem.
      _ = take()
      return false
    default:
      refuse(expected: expected())
      return false
    }
  }

  /// Takes the scalar that comes next, as it was written.
  mutating func written() -> (scalar: YAMLScalar, place: Place) {
    let scalar = YAMLScalar(text: upcomingText, style: upcoming.style)
    return (scalar, take().place)
  }

  /// True where the next value is a mapping.
  var isMappingNext: Bool {
    upcoming.kind == .mappingStart
  }

  /// A value of several parts, as problems call it.
  enum Shape: String {
    case mapping = "a mapping"
    case list = "a list"
  }

  /// Steps into a mapping or a list, and answers where its first part is; takes anything else, with a problem.
  mutating func open(_ shape: Shape) -> Place? {
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
    // An empty value has no width, so point to its field.
    if place.start == place.end { place = field.place }
    add(.wrongShape(field: field.value, expected: expected, found: found), at: place)
  }
}
