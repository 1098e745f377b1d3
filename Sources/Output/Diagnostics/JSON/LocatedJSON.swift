/// The one reader of JSON that others have written: strict, within limits, and every value knows its place.
///
/// Pintle's own canonical encoding is read by ``CanonicalScanner``. Foundation's decoder is given only what was read here
/// before: by itself it tells no places, takes no comments, which Chromium's list is full of, and accepts what other
/// parsers don't.
///
/// Strict (RFC 8259), except comments if the caller allows them: `//` to the end of the line and `/* */`. A name that
/// occurs twice in an object is refused, because readers differ in which one counts. Values lie one behind the other in
/// one array; texts are decoded when they are asked for.
package final class LocatedJSON: Sendable {
  /// How much of what is read, so that no file costs more than such files may.
  package struct Limits: Sendable {
    package var bytes = 64 << 20
    package var depth = 64
    /// The most values; the name of a member counts as one.
    package var values = 8_000_000
    /// The most bytes of one text, as it is written.
    package var textBytes = Int.max

    package init() {}
  }

  enum Kind: UInt8, Sendable {
    case object, list, text, number, yes, no, null
  }

  /// A value, or a name of an object's member.
  struct Node: Sendable {
    var kind: Kind
    /// For texts: whether there are escapes in it.
    var hasEscapes = false
    /// The first byte; for a text, that behind the quotation mark.
    var start: UInt32
    /// The byte behind the last; for a text, the closing quotation mark.
    var end: UInt32
    /// The node behind this one and all that is in it.
    var next: UInt32 = 0
  }

  let bytes: [UInt8]
  let nodes: [Node]
  private let file: FileID
  private let lines: LineOffsets

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - file: Which file it is, for places.
  ///   - allowsComments: Whether `//` and `/* */` are read over.
  ///   - limits: The most of everything.
  /// - Throws: ``JSONTextError``, with the line in its message.
  package init(
    _ bytes: [UInt8], file: FileID = FileID(0), allowsComments: Bool = false, limits: Limits = Limits()
  ) throws(JSONTextError) {
    guard bytes.count <= limits.bytes else {
      throw JSONTextError(.tooLarge, "it has more than \(limits.bytes >> 20) MiB")
    }
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw JSONTextError(.notJSON, "it isn't UTF-8") }
    var scanner = JSONScanner(bytes, allowsComments: allowsComments, limits: limits)
    try scanner.scan()
    self.bytes = bytes
    nodes = scanner.nodes
    self.file = file
    lines = LineOffsets(bytes)
  }

  package var root: Value { Value(document: self, index: 0) }

  /// The place of a range of bytes.
  func place(_ start: Int, _ end: Int) -> Place {
    lines.place(of: start..<max(end, start + 1), in: file)
  }
}

/// Why bytes aren't the JSON that they should be.
package struct JSONTextError: Error, Sendable {
  package enum Code: Sendable {
    /// More bytes than such a file may have.
    case tooLarge
    /// Not JSON in UTF-8.
    case notJSON
    /// A name occurs twice in an object.
    case duplicateName
    /// Nested deeper, longer, or of more values than the limits allow.
    case overLimit
    /// A field that must be there isn't.
    case missingField
    /// A field has a value that it can't have.
    case invalidValue
  }

  package let code: Code
  /// What is wrong, as a clause in lower case; of the text itself only names are in it.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
