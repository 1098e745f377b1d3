import Diagnostics

/// Makes nodes of libyaml's events.
struct TreeBuilder: ~Copyable {
  /// Where the texts of scalars stand, in order.
  private(set) var scalars: [Range<Int>] = []
  let lines: LineOffsets
  /// What libyaml says about what it can't read.
  private(set) var complaint: (reason: String, place: Place)?

  private var parser: YAMLParser
  private let bytes: [UInt8]
  private var depth = 0

  init(_ parser: consuming YAMLParser, _ bytes: [UInt8]) {
    self.parser = parser
    self.bytes = bytes
    lines = LineOffsets(bytes)
  }

  /// Reads the one document of a file.
  mutating func document() throws(PolicyEditError) -> YAMLTree.Node {
    guard let root = try nextDocument(), try next().kind == .end else { throw .unreadable }
    return root
  }

  /// Reads the next document of a file; nil where there are no more.
  mutating func nextDocument() throws(PolicyEditError) -> YAMLTree.Node? {
    let start = try next().kind
    guard start != .end else { return nil }
    guard start == .documentStart else { throw .unreadable }
    let root = try node(try next())
    guard try next().kind == .documentEnd else { throw .unreadable }
    return root
  }

  private func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func next() throws(PolicyEditError) -> YAMLEvent {
    let event: YAMLEvent
    do {
      event = try parser.next()
    } catch {
      complaint = (error.reason, error.place.widened)
      throw .unreadable
    }
    if let (_, place) = parser.oddities.first {
      complaint = ("tags, anchors and aliases aren't read", place.widened)
      throw .unreadable
    }
    return event
  }

  private mutating func node(_ event: YAMLEvent) throws(PolicyEditError) -> YAMLTree.Node {
    let start = lines.offset(of: event.place.start)
    let end = lines.offset(of: event.place.end)
    depth += 1
    defer { depth -= 1 }
    guard depth <= DocumentReader.depthLimit else { throw .unreadable }
    switch event.kind {
    case .scalar:
      let scalar = YAMLScalar(text: parser.withText { String($0) }, style: event.style)
      // A block scalar's `|` may be followed by a comment; its text begins on the next line.
      let text = scalar.style == .block ? lines.nextLine(after: start) : start
      if text < end { scalars.append(text..<end) }
      return YAMLTree.Node(content: .scalar(scalar), range: start..<end)
    case .sequenceStart:
      var items: [YAMLTree.Node] = []
      while true {
        let event = try next()
        if event.kind == .sequenceEnd {
          let isFlow = byte(at: start) == UInt8(ascii: "[")
          let last = isFlow ? lines.offset(of: event.place.end) : items.last?.range.upperBound ?? end
          return YAMLTree.Node(content: .list(items), isFlow: isFlow, range: start..<max(start, last))
        }
        items.append(try node(event))
      }
    case .mappingStart:
      var entries: [YAMLTree.Entry] = []
      while true {
        let event = try next()
        if event.kind == .mappingEnd {
          let isFlow = byte(at: start) == UInt8(ascii: "{")
          let last = isFlow ? lines.offset(of: event.place.end) : entries.last?.range.upperBound ?? end
          return YAMLTree.Node(content: .mapping(entries), isFlow: isFlow, range: start..<max(start, last))
        }
        let name = try node(event)
        entries.append(YAMLTree.Entry(name: name, value: try node(try next())))
      }
    default: throw .unreadable
    }
  }
}
