private import CLibYAML
import Diagnostics
import PinFormat

/// Owns one libyaml parser, the event that it gave last, and the bytes that it reads.
struct YAMLParser: ~Copyable {
  // Allocated on the heap, because the parser keeps pointers to itself and to the input.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>
  private let input: ParserInput
  private let file: FileID
  private let firstLineShift: Int
  /// Where the text ends: libyaml puts what is missing there on a line of its own, which need not be there.
  private let end: Position
  /// What the last event has that a policy doesn't allow: nearly always nothing.
  private(set) var oddities: [(oddity: YAMLEvent.Oddity, place: Place)] = []
  /// Where ``source(at:)`` has got to: marks only move forward.
  private var cursor = (scalar: 0, byte: 0)

  /// Answers nil where there is no memory for a parser.
  init?(_ bytes: [UInt8], file: FileID, firstLineShift: Int) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    self.parser = parser
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    self.file = file
    self.firstLineShift = firstLineShift
    input = ParserInput(bytes)
    let lastLine = bytes[((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)...]
    let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    let shift = line == 1 ? firstLineShift : 0
    end = Position(line: line, column: lastLine.count { $0 & 0xC0 != 0x80 } + 1 + shift)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input(
      parser,
      { input, buffer, size, count in
        guard let input, let buffer, let count else { return 0 }
        count.pointee = Unmanaged<ParserInput>.fromOpaque(input).takeUnretainedValue().take(size, into: buffer)
        return 1
      }, Unmanaged.passRetained(input).toOpaque())
  }

  deinit {
    yaml_event_delete(event)
    event.deallocate()
    yaml_parser_delete(parser)
    Unmanaged.passUnretained(input).release()
    parser.deallocate()
  }

  /// Lends the text of the scalar that was read last, in UTF-8; that of any other event is empty.
  func withText<Answer>(_ body: (Span<UInt8>) -> Answer) -> Answer {
    guard event.pointee.type == YAML_SCALAR_EVENT else { return body(Span()) }
    let scalar = event.pointee.data.scalar
    return body(UnsafeBufferPointer(start: scalar.value, count: scalar.length).span)
  }

  /// The next event; after ``YAMLEvent/Kind/end`` and after a complaint there is none.
  mutating func next() throws(YAMLComplaint) -> YAMLEvent {
    yaml_event_delete(event)
    if !oddities.isEmpty { oddities = [] }
    guard yaml_parser_parse(parser, event) == 1 else { throw complaint() }
    let place = place(event.pointee.start_mark, event.pointee.end_mark)
    switch event.pointee.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.pointee.data.scalar
      var next = node(.scalar, place, scalar.anchor != nil || scalar.tag != nil)
      next.isEmpty = scalar.length == 0
      next.style =
        switch scalar.style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
      return next
    case YAML_ALIAS_EVENT:
      var name = ""
      if let anchor = event.pointee.data.alias.anchor { name = String(cString: anchor) }
      oddities = [(.alias(name), place)]
      return YAMLEvent(kind: .alias, place: place)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.pointee.data.sequence_start
      return node(.sequenceStart, place, start.anchor != nil || start.tag != nil)
    case YAML_MAPPING_START_EVENT:
      let start = event.pointee.data.mapping_start
      return node(.mappingStart, place, start.anchor != nil || start.tag != nil)
    case YAML_DOCUMENT_START_EVENT:
      let start = event.pointee.data.document_start
      if start.version_directive != nil || start.tag_directives.start != start.tag_directives.end {
        let sign = Place(file: file, start: place.start, end: Position(line: Int(place.start.line), column: 2))
        oddities = [(.directive, sign)]
      }
      return YAMLEvent(kind: .documentStart, place: place)
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, place: place)
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, place: place)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, place: place)
    case YAML_STREAM_START_EVENT: return try next()
    default: return YAMLEvent(kind: .end, place: place)
    }
  }

  @inline(__always)
  private mutating func node(_ kind: YAMLEvent.Kind, _ place: Place, _ hasProperties: Bool) -> YAMLEvent {
    guard hasProperties else { return YAMLEvent(kind: kind, place: place) }
    let properties = NodeProperties(source(at: event.pointee.start_mark), from: place.start, file: file)
    let start = properties.end < place.end ? properties.end : place.start
    oddities = properties.found
    return YAMLEvent(kind: kind, place: Place(file: file, start: start, end: max(start, place.end)))
  }

  /// The text from a mark on.
  private mutating func source(at mark: yaml_mark_t) -> ArraySlice<UInt8> {
    let bytes = input.bytes
    while cursor.byte < bytes.count, cursor.scalar < mark.index || bytes[cursor.byte] & 0xC0 == 0x80 {
      cursor.byte += 1
      if cursor.byte < bytes.count, bytes[cursor.byte] & 0xC0 != 0x80 { cursor.scalar += 1 }
    }
    return bytes[cursor.byte...]
  }

  private mutating func complaint() -> YAMLComplaint {
    let state = parser.pointee
    let start = source(at: state.problem_mark).startIndex
    let before = input.bytes[..<start].reversed().prefix { $0 != UInt8(ascii: "\n") }
    return YAMLComplaint(
      problem: state.problem.map { String(cString: $0) } ?? "it can't be read",
      context: state.context.map { String(cString: $0) },
      at: place(state.problem_mark, state.problem_mark),
      isFirstOnLine: before.allSatisfy { $0 == UInt8(ascii: " ") },
      since: state.context == nil ? nil : place(state.context_mark, state.context_mark))
  }

  /// libyaml counts lines from 0, and columns from 0 in Unicode scalars.
  @inline(__always)
  private func place(_ start: yaml_mark_t, _ end: yaml_mark_t) -> Place {
    Place(file: file, start: position(start), end: position(end))
  }

  @inline(__always)
  private func position(_ mark: yaml_mark_t) -> Position {
    let shift = mark.line == 0 ? firstLineShift : 0
    return min(Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1 + shift), end)
  }
}

/// A file's bytes, of which libyaml takes one piece after the other: no second copy has to stay in its place.
private final class ParserInput {
  let bytes: [UInt8]
  private var taken = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Copies at most so many bytes, and answers how many; none at the end.
  func take(_ size: Int, into buffer: UnsafeMutablePointer<UInt8>) -> Int {
    let piece = bytes[taken..<min(bytes.count, taken + size)]
    taken += piece.count
    return UnsafeMutableBufferPointer(start: buffer, count: size).update(fromContentsOf: piece)
  }
}
