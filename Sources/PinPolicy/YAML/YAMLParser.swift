private import CLibYAML
import Diagnostics

/// Owns one libyaml parser and the bytes that it reads.
struct YAMLParser: ~Copyable {
  // The parser keeps pointers to itself and into the input: both stay where they are until the end.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  private let file: FileID
  private let firstLineShift: Int
  /// Where the text ends: libyaml puts what is missing there on a line of its own, which need not be there.
  private let end: Position
  /// The text of the scalar that was read last, in UTF-8.
  private(set) var text: [UInt8] = []
  /// Where ``source(at:)`` has got to: marks only ever move forward.
  private var cursor = (scalar: 0, byte: 0)

  /// Answers nil where there is no memory for a parser.
  init?(_ bytes: [UInt8], file: FileID, firstLineShift: Int) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    self.parser = parser
    self.file = file
    self.firstLineShift = firstLineShift
    input = .allocate(capacity: bytes.count)
    _ = input.initialize(from: bytes)
    let lastLine = bytes[((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)...]
    let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    let shift = line == 1 ? firstLineShift : 0
    end = Position(line: line, column: lastLine.count { $0 & 0xC0 != 0x80 } + 1 + shift)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    yaml_parser_delete(parser)
    input.deallocate()
    parser.deallocate()
  }

  /// The next event; after ``YAMLEvent/Kind/end`` and after a complaint there is none.
  mutating func next() throws(YAMLComplaint) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw complaint() }
    defer { yaml_event_delete(&event) }
    let place = place(event.start_mark, event.end_mark)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      text.removeAll(keepingCapacity: true)
      text.append(contentsOf: UnsafeBufferPointer(start: scalar.value, count: scalar.length))
      var event = node(.scalar, place, scalar.anchor != nil || scalar.tag != nil, event.start_mark)
      event.isEmpty = text.isEmpty
      event.style =
        switch scalar.style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
      return event
    case YAML_ALIAS_EVENT:
      var name = ""
      if let anchor = event.data.alias.anchor { name = String(cString: anchor) }
      return YAMLEvent(kind: .alias, place: place, oddities: [(.alias(name), place)])
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return node(.sequenceStart, place, start.anchor != nil || start.tag != nil, event.start_mark)
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return node(.mappingStart, place, start.anchor != nil || start.tag != nil, event.start_mark)
    case YAML_DOCUMENT_START_EVENT:
      let start = event.data.document_start
      let hasDirectives =
        start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
      let sign = Place(file: file, start: place.start, end: Position(line: Int(place.start.line), column: 2))
      return YAMLEvent(kind: .documentStart, place: place, oddities: hasDirectives ? [(.directive, sign)] : [])
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, place: place)
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, place: place)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, place: place)
    case YAML_STREAM_START_EVENT: return try next()
    default: return YAMLEvent(kind: .end, place: place)
    }
  }

  private mutating func node(
    _ kind: YAMLEvent.Kind, _ place: Place, _ hasProperties: Bool, _ mark: yaml_mark_t
  ) -> YAMLEvent {
    guard hasProperties else { return YAMLEvent(kind: kind, place: place) }
    let properties = NodeProperties(source(at: mark), from: place.start, file: file)
    let start = properties.end < place.end ? properties.end : place.start
    return YAMLEvent(
      kind: kind, place: Place(file: file, start: start, end: max(start, place.end)),
      oddities: properties.found)
  }

  /// The text from a mark on.
  private mutating func source(at mark: yaml_mark_t) -> UnsafeBufferPointer<UInt8>.SubSequence {
    while cursor.byte < input.count, cursor.scalar < mark.index || input[cursor.byte] & 0xC0 == 0x80 {
      cursor.byte += 1
      if cursor.byte < input.count, input[cursor.byte] & 0xC0 != 0x80 { cursor.scalar += 1 }
    }
    return UnsafeBufferPointer(input)[cursor.byte...]
  }

  private mutating func complaint() -> YAMLComplaint {
    let state = parser.pointee
    let before = input[..<source(at: state.problem_mark).startIndex].reversed().prefix { $0 != UInt8(ascii: "\n") }
    return YAMLComplaint(
      problem: state.problem.map { String(cString: $0) } ?? "it can't be read",
      context: state.context.map { String(cString: $0) },
      at: place(state.problem_mark, state.problem_mark),
      isFirstOnLine: before.allSatisfy { $0 == UInt8(ascii: " ") },
      since: state.context == nil ? nil : place(state.context_mark, state.context_mark))
  }

  /// libyaml counts lines from 0, and columns from 0 in Unicode scalars.
  private func place(_ start: yaml_mark_t, _ end: yaml_mark_t) -> Place {
    Place(file: file, start: position(start), end: position(end))
  }

  private func position(_ mark: yaml_mark_t) -> Position {
    let shift = mark.line == 0 ? firstLineShift : 0
    return min(Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1 + shift), end)
  }
}
