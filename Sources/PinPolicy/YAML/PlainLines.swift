import Diagnostics

/// Reads the YAML that nearly all policies are written in, line by line, much faster than libyaml does.
///
/// Mappings and lists in lines, scalars on one line each, brackets that close on their line. Whatever else comes is
/// left to libyaml, which then reads the whole file anew: nothing is taken here whose meaning YAML makes hard to see.
/// A text that is read to its end gives the very events, texts and places that libyaml gives (`PlainLinesTests` and
/// the fuzzer hold it to that).
struct PlainLines {
  /// An open mapping or list in lines.
  private struct Level {
    var isList: Bool
    /// The column of its names or dashes, from 0; -1 for the document.
    var indent: Int
    /// True where a name or a dash waits for its value.
    var isWaiting: Bool
    /// True for a list whose dashes stand under the first letter of its own name.
    var isFlush = false
  }

  /// More than a reader goes into, so that reading a line's dashes never goes deep.
  private static let depthLimit = 64

  let bytes: [UInt8]
  let file: FileID
  /// True once something came that is left to libyaml.
  private(set) var hasGivenUp = false

  /// Where reading has got to, and the line that this is on: its number from 1, and its first byte.
  var offset = 0
  var line = 0
  private var lineStart = 0
  /// Continuation bytes of UTF-8 that stand before the offset on its line: no columns.
  var continuations = 0

  private var levels = [Level(isList: false, indent: -1, isWaiting: true)]
  /// The events of the line that was read last, and the first that wasn't taken yet.
  private var ready: [DocumentEvent] = []
  private var next = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - bytes: Text that was found fit for libyaml as it is.
  ///   - file: The file that it is of.
  init(_ bytes: [UInt8], file: FileID) {
    self.bytes = bytes
    self.file = file
    ready.reserveCapacity(32)
    ready.append(DocumentEvent(.documentStart, at: .beginning(of: file)))
  }

  /// The next event; at the end, and once reading is given up, there is none but ``DocumentEvent/Kind/end``.
  mutating func event() -> DocumentEvent {
    while next == ready.count {
      ready.removeAll(keepingCapacity: true)
      next = 0
      guard !hasGivenUp, !isAtEnd else { return DocumentEvent(.end, at: here) }
      if !readLine() { giveUp() }
    }
    next += 1
    return ready[next - 1]
  }

  private mutating func giveUp() {
    hasGivenUp = true
    ready.removeAll(keepingCapacity: true)
    next = 0
  }

  mutating func emit(_ kind: DocumentEvent.Kind, _ place: Place) {
    ready.append(DocumentEvent(kind, at: place))
  }

  mutating func emit(_ text: Range<Int>, _ style: YAMLScalar.Style, _ place: Place) {
    ready.append(DocumentEvent(UInt32(text.lowerBound)..<UInt32(text.upperBound), style, at: place))
  }

  /// The position of the offset.
  var position: Position { Position(line: line, column: offset - lineStart - continuations + 1) }

  /// A place without width.
  private var here: Place {
    let position = position
    return Place(file: file, start: position, end: position)
  }

  /// The byte at the offset; a line feed at the end of the text, where a line ends as well.
  var byte: UInt8 { offset < bytes.count ? bytes[offset] : UInt8(ascii: "\n") }
  /// The byte behind that at the offset.
  var following: UInt8 { offset + 1 < bytes.count ? bytes[offset + 1] : UInt8(ascii: "\n") }

  mutating func skipSpaces() {
    while byte == UInt8(ascii: " ") { offset += 1 }
  }

  /// Passes over what may stand behind a value: spaces, a comment, and the end of the line.
  ///
  /// Answers false where something else stands there.
  mutating func endLine() -> Bool {
    let start = offset
    skipSpaces()
    if byte == UInt8(ascii: "#") {
      guard offset > start || offset == lineStart else { return false }
      while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
    }
    // A carriage return stands before a line feed only.
    if byte == UInt8(ascii: "\r") { offset += 1 }
    guard byte == UInt8(ascii: "\n") else { return false }
    offset += 1
    return true
  }

  /// Reads the next line that says anything, or what the end of the text means.
  private mutating func readLine() -> Bool {
    repeat {
      guard offset < bytes.count else { return end() }
      line += 1
      lineStart = offset
      continuations = 0
      skipSpaces()
      if byte != UInt8(ascii: "#"), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { return readContent() }
      if byte == UInt8(ascii: "#") {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
      }
    } while endLine()
    return false
  }

  private mutating func end() -> Bool {
    lineStart = offset
    continuations = 0
    line += 1
    guard levels.count > 1, close(downTo: -1, isDash: false) else { return false }
    emit(.documentEnd, here)
    isAtEnd = true
    return true
  }

  /// Closes what is open to the right of a column, and what can't go on at it; false where a value is missing.
  private mutating func close(downTo column: Int, isDash: Bool) -> Bool {
    while let level = levels.last, level.indent > column || level.isFlush && level.indent == column && !isDash {
      guard !level.isWaiting else { return false }
      emit(level.isList ? .sequenceEnd : .mappingEnd, here)
      levels.removeLast()
    }
    return true
  }

  /// Reads a line from its first character on that is no space.
  private mutating func readContent() -> Bool {
    if offset == lineStart, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "."), isMarker {
      // The mark before the one document, alone on its line.
      guard byte == UInt8(ascii: "-"), levels.count == 1, levels[0].isWaiting, !hasMarker else { return false }
      hasMarker = true
      offset += 3
      return byte != UInt8(ascii: "#") && endLine()
    }
    guard close(downTo: offset - lineStart, isDash: isDash) else { return false }
    return readNode(isFirst: true)
  }

  private var hasMarker = false

  /// True where three equal characters stand that may mark a document's beginning or end.
  private var isMarker: Bool {
    offset + 2 < bytes.count && bytes[offset + 1] == bytes[offset] && bytes[offset + 2] == bytes[offset]
  }

  private var isDash: Bool { byte == UInt8(ascii: "-") && Self.isBlank(following) }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Reads a dash or a name with what follows it on the line, or an item's value.
  private mutating func readNode(isFirst: Bool) -> Bool {
    let column = offset - lineStart
    if isDash {
      guard open(list: true, at: column) else { return false }
      offset += 1
      return readValue()
    }
    let start = position
    let from = offset
    guard isName() else {
      guard !isFirst else { return false }
      return readScalarOrBrackets() && endLine()
    }
    let place = Place(file: file, start: start, end: position)
    guard open(list: false, at: column, place: place) else { return false }
    emit(from..<offset, .plain, place)
    offset += 1
    return readValue()
  }

  /// Makes the list or mapping that goes on at a column the innermost one; false where none can.
  private mutating func open(list: Bool, at column: Int, place: Place? = nil) -> Bool {
    let last = levels.count - 1
    let level = levels[last]
    if level.indent == column, level.isList == list, !level.isWaiting {
      levels[last].isWaiting = true
      return true
    }
    // A list may stand right under its name.
    let isFlush = list && !level.isList && level.indent == column
    guard level.isWaiting, level.indent < column || isFlush, levels.count < Self.depthLimit else { return false }
    levels[last].isWaiting = false
    levels.append(Level(isList: list, indent: column, isWaiting: true, isFlush: isFlush))
    let start = position
    emit(list ? .sequenceStart : .mappingStart, opening(place?.start ?? start, isList: list, isFlush: isFlush))
    return true
  }

  /// Where libyaml sees the beginning of a list or a mapping in lines.
  private func opening(_ start: Position, isList: Bool, isFlush: Bool) -> Place {
    var end = start
    if isFlush { end.column += 1 }
    return Place(file: file, start: start, end: end)
  }

  /// Reads what follows a dash or a name on its line.
  private mutating func readValue() -> Bool {
    let start = offset
    let isItem = levels[levels.count - 1].isList
    skipSpaces()
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return endLine()
    case UInt8(ascii: "#"):
      offset = start
      return endLine()
    default:
      // A name and its value's own names never stand on one line.
      if isItem { return readNode(isFirst: false) }
      return readScalarOrBrackets() && endLine()
    }
  }

  private mutating func readScalarOrBrackets() -> Bool {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      guard readBrackets() else { return false }
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      guard readQuoted() else { return false }
    default:
      guard readPlain() else { return false }
    }
    levels[levels.count - 1].isWaiting = false
    return true
  }

  /// True where a simple name with its colon stands; the offset is then the colon's.
  mutating func isName() -> Bool {
    guard byte != UInt8(ascii: "-"), byte != UInt8(ascii: ".") else { return false }
    let text = bytes
    let limit = min(text.count, offset + 256)
    var index = offset
    while index < limit, Self.isNameByte(text[index]) { index += 1 }
    guard index > offset, index < text.count, text[index] == UInt8(ascii: ":") else { return false }
    guard index + 1 >= text.count || Self.isBlank(text[index + 1]) else { return false }
    offset = index
    return true
  }

  /// Letters, digits, `_`, `-` and `.`.
  static func isNameByte(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// The text of a scalar.
  func text(of event: DocumentEvent) -> String {
    String(decoding: bytes[Int(event.text.lowerBound)..<Int(event.text.upperBound)], as: UTF8.self)
  }
}
