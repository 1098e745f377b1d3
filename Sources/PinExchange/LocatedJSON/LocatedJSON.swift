package import Diagnostics

/// A JSON text whose values know where they are, for findings about files that people have written by hand.
///
/// A reader of its own, because the ones that are there can't be used: ``CanonicalScanner`` reads Pintle's own encoding
/// alone, and Foundation's decoder tells neither places nor comments, which Chromium's list is full of.
///
/// Strict (RFC 8259) but for comments where the caller allows them: `//` to the end of the line and `/* */`. Names that
/// are listed twice in an object are refused, because readers differ in which of them counts. Values lie one behind the
/// other in one array; texts are decoded when they are asked for.
package final class LocatedJSON: Sendable {
  /// How much of what is read, so that no file costs more than such files may.
  package struct Limits: Sendable {
    package var bytes = 64 << 20
    package var depth = 64
    package var values = 8_000_000

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
  ///   - file: Which file of the import it is.
  ///   - allowsComments: Whether `//` and `/* */` are read over.
  ///   - limits: The most of everything.
  /// - Throws: ``ExchangeError`` of code `notJSON`, `tooLarge` or `overLimit`, with the line in its message.
  package init(
    _ bytes: [UInt8], file: FileID, allowsComments: Bool = false, limits: Limits = Limits()
  ) throws(ExchangeError) {
    guard bytes.count <= limits.bytes else {
      throw ExchangeError(.tooLarge, "it has more than \(limits.bytes >> 20) MiB")
    }
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw ExchangeError(.notJSON, "it isn't UTF-8") }
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
