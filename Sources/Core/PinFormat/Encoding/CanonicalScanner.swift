/// Walks once over bytes that must be canonical JSON (RFC 8785) of a structure that the caller knows.
///
/// There is no tree and no look back: the caller asks for what must come next, and anything else is an error with its
/// offset. Since each value has one encoding, a text that is read to its end is the text that would be written.
package struct CanonicalScanner {
  package let bytes: [UInt8]
  package let end: Int
  package let format: CanonicalFormat
  package private(set) var offset: Int
  /// Where the scanner is, for messages: `signed.hosts`.
  package var place: StaticString
  /// The item of the list or object at `place`, counted from 1; 0 where there isn't one.
  package var item = 0
  /// The instant read last, and where it is.
  package var lastInstant: (text: Range<Int>, value: Instant) = (0..<0, .earliest)

  /// Starts at an offset.
  ///
  /// Nothing from `end` on is read.
  package init(_ bytes: [UInt8], from offset: Int, to end: Int, as format: CanonicalFormat = .manifest) {
    self.bytes = bytes
    self.format = format
    self.offset = offset
    self.end = min(end, bytes.count)
    place = format.name
  }

  // MARK: Structure

  /// True where the next byte is this one.
  package func sees(_ character: UInt8) -> Bool { offset < end && bytes[offset] == character }

  /// Steps over the next byte where it is this one.
  package mutating func take(_ character: UInt8) -> Bool {
    guard sees(character) else { return false }
    offset += 1
    return true
  }

  /// Steps over the one byte that must be next.
  package mutating func require(_ character: UInt8) throws(FormatError) {
    guard take(character) else { throw unexpected(String(decoding: [character], as: UTF8.self)) }
  }

  /// Steps over a text that must be next.
  package mutating func require(_ text: StaticString) throws(FormatError) {
    guard matches(text, at: offset) else { throw unexpected(text.description) }
    offset += text.utf8CodeUnitCount
  }

  /// Steps over `"name":`, with the comma before it unless it is the first field, where this field is next.
  package mutating func take(field name: StaticString, first: inout Bool) -> Bool {
    let start = first ? offset : offset + 1
    let stop = start + 1 + name.utf8CodeUnitCount
    guard stop + 1 < end, first || bytes[offset] == UInt8(ascii: ","), bytes[start] == UInt8(ascii: "\""),
      bytes[stop] == UInt8(ascii: "\""), bytes[stop + 1] == UInt8(ascii: ":"), matches(name, at: start + 1)
    else { return false }
    offset = stop + 2
    first = false
    return true
  }

  /// Steps over `"name":` of a field that must be next.
  package mutating func require(field name: StaticString, first: inout Bool) throws(FormatError) {
    guard take(field: name, first: &first) else { throw misplaced(expected: name, first: first) }
  }

  /// Steps over the `}` of an object whose fields have all been asked for.
  package mutating func finishObject(first: Bool) throws(FormatError) {
    guard take(UInt8(ascii: "}")) else { throw misplaced(expected: nil, first: first) }
  }

  /// Steps over the comma between two items, or over the closing bracket; true where another item follows.
  package mutating func takeNext(closing: UInt8) throws(FormatError) -> Bool {
    if take(UInt8(ascii: ",")) { return true }
    guard take(closing) else {
      throw unexpected("\",\" or \"" + String(decoding: [closing], as: UTF8.self) + "\"")
    }
    return false
  }

  /// Checks that nothing is left.
  package func finish() throws(FormatError) {
    guard offset == end else {
      throw error(.trailingBytes, at: offset, "bytes follow the end of the " + format.name.description)
    }
  }

  package func matches(_ text: StaticString, at start: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard start >= 0, end - start >= count else { return false }
    let found = bytes.span.extracting(start..<start + count)
    return text.withUTF8Buffer { found.equals($0.span) }
  }

  // MARK: Errors

  package func error(_ code: FormatError.Code, at offset: Int, _ message: String) -> FormatError {
    var text = place.description
    if item > 0 { text += "[" + String(item) + "]" }
    return FormatError(code, at: offset, text + ": " + message)
  }

  package func unexpected(_ expected: String) -> FormatError {
    if offset >= end { return error(.truncated, at: offset, "the bytes end where " + expected + " must stand") }
    return error(.notCanonical, at: offset, "expected " + expected + ", found " + excerpt(from: offset))
  }

  /// What follows at an offset, shortened and harmless to print.
  package func excerpt(from start: Int) -> String {
    var text = ""
    for byte in bytes[min(start, end)..<min(start + 16, end)] {
      text += byte >= 0x20 && byte < 0x7F ? String(UnicodeScalar(byte)) : "\\x" + Hex.encode([byte])
    }
    return "\"" + text + "\""
  }

  /// What to say where the next field isn't the expected one: nil stands for the end of the object.
  private func misplaced(expected: StaticString?, first: Bool) -> FormatError {
    let wanted = expected.map { "the field \"" + $0.description + "\"" } ?? "\"}\""
    let start = first ? offset : offset + 1
    guard first || sees(UInt8(ascii: ",")), start < end, bytes[start] == UInt8(ascii: "\"") else {
      guard let expected, sees(UInt8(ascii: "}")) else { return unexpected(wanted) }
      return error(.missingField, at: offset, "the field \"" + expected.description + "\" is missing")
    }
    var stop = start + 1
    while stop < min(end, start + 66), bytes[stop] != UInt8(ascii: "\"") { stop += 1 }
    let found = excerpt(String(decoding: bytes[start + 1..<stop], as: UTF8.self))
    guard format.fields.contains(where: { $0.description.isSame(as: found) }) else {
      return error(.unknownField, at: start, "unknown field \"" + found + "\", expected " + wanted)
    }
    return error(
      .misplacedField, at: start, "the field \"" + found + "\" is misplaced or repeated, expected " + wanted)
  }

  private func excerpt(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars { text += scalar.value >= 0x20 && scalar.value < 0x7F ? String(scalar) : "?" }
    return text
  }

  /// Moves to an offset that a value's own scan has reached.
  package mutating func advance(to offset: Int) { self.offset = offset }
}
