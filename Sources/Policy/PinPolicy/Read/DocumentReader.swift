import Diagnostics

/// Reads one policy file, event by event, into typed records.
///
/// Every function that reads a value takes exactly one value from the stream, whatever it is, so that a mistake costs
/// that value only. After the end, and after what can't be read, ``YAMLEvent/Kind/end`` comes for ever.
struct DocumentReader: ~Copyable {
  static let depthLimit = 32
  static let problemLimit = 10_000

  let file: FileID
  private var parser: YAMLParser
  /// The next event, not yet taken.
  private(set) var upcoming: YAMLEvent
  private(set) var problems: [PolicyProblem] = []
  /// False once a part of the file could not be read.
  private(set) var isComplete = true
  /// The field whose value comes next, for what problems say.
  var field: FieldName
  /// The fields that the mappings around have given so far, by their numbers: those of the innermost one come last.
  var given: [(number: Int, place: Place)] = []
  /// What looks like a suppression, less what turned out to be part of a value.
  private(set) var comments: CommentFilter

  private let isMended: Bool
  private var depth = 0

  init?(_ text: SourceText, bytes: [UInt8], file: FileID) {
    guard let parser = YAMLParser(bytes, file: file, firstLineShift: text.firstLineShift) else { return nil }
    let place = Place.beginning(of: file)
    self.file = file
    self.parser = parser
    isMended = text.isMended
    upcoming = YAMLEvent(kind: .end, place: place)
    field = FieldName(Located("policy file", at: place))
    comments = CommentFilter(SuppressionComment.find(in: bytes, file: file, firstLineShift: text.firstLineShift))
    advance()
  }

  mutating func add(_ kind: PolicyProblem.Kind, at place: Place, related: Place? = nil) {
    guard problems.count < Self.problemLimit else { return stop() }
    problems.append(PolicyProblem(kind, at: place.widened, related: related?.widened))
    if problems.count == Self.problemLimit {
      problems.append(PolicyProblem(.tooManyProblems(limit: Self.problemLimit), at: place))
      stop()
    }
  }

  /// Reads no further.
  mutating func stop() {
    upcoming = YAMLEvent(kind: .end, place: upcoming.place)
    isComplete = false
  }

  mutating func take() -> YAMLEvent {
    let event = upcoming
    advance()
    return event
  }

  /// The text of the scalar that comes next.
  var upcomingText: String { parser.withText { String($0) } }

  /// What the text of the scalar that comes next says; the text itself is only lent.
  func upcoming<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? { parser.withText(read) }

  /// Takes one value of any shape, and answers where it is.
  @discardableResult
  mutating func skip() -> Place {
    let first = take()
    switch first.kind {
    case .sequenceStart, .mappingStart: break
    default: return first.place
    }
    var place = first.place
    let inner = upcoming
    var open = 1
    while open > 0 {
      let event = take()
      switch event.kind {
      case .sequenceStart, .mappingStart: open += 1
      case .sequenceEnd, .mappingEnd: open -= 1
      case .end: return place
      default: break
      }
      // A value in brackets has an end; a block value is shown by its first part.
      if open == 0, event.place.start < event.place.end { place.end = event.place.end }
    }
    if place.start == place.end { place.end = max(place.start, inner.place.end) }
    return place
  }

  private mutating func advance() {
    if upcoming.kind == .end, !isComplete { return }
    do {
      upcoming = try parser.next()
    } catch {
      // After white space was replaced, errors that follow from it are not reported.
      if !isMended { add(.invalidYAML(reason: error.reason), at: error.place, related: error.related) }
      return stop()
    }
    for (oddity, place) in parser.oddities {
      switch oddity {
      case .tag(let text): add(.tag(text), at: place)
      case .anchor(let name): add(.anchor(name), at: place)
      case .alias(let name): add(.alias(name), at: place)
      case .directive: add(.invalidYAML(reason: "a '%' directive has no place in a policy"), at: place)
      }
    }
    switch upcoming.kind {
    case .scalar: comments.drop(within: upcoming.place, style: upcoming.style)
    case .sequenceStart, .mappingStart:
      depth += 1
      if depth > Self.depthLimit {
        add(.tooDeep(limit: Self.depthLimit), at: upcoming.place)
        stop()
      }
    case .sequenceEnd, .mappingEnd: depth -= 1
    default: break
    }
  }
}

/// What problems call a field, or an item of its list, and where it is.
struct FieldName {
  let place: Place
  private let name: String
  /// How many lists deep an item is.
  private let depth: Int

  init(_ name: Located<String>) {
    self.name = name.value
    place = name.place
    depth = 0
  }

  init(itemOf list: FieldName, at place: Place) {
    name = list.name
    self.place = place
    depth = list.depth + 1
  }

  var value: String { String(repeating: "item of ", count: depth) + name }
}
