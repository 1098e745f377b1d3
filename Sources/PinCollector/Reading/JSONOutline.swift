/// Looks over bytes before a general parser does: how deep, how long, how many, and the names of the outer fields.
///
/// It doesn't decide what is JSON. It only keeps away from the parser what would cost more than a report may.
enum JSONOutline {
  /// The deepest that any report's values stand in each other.
  static let maximumDepth = 8
  /// The most values of one report: a thousand hosts with all they may have.
  static let maximumValues = 200_000
  /// The most bytes of one text: a certificate of 64 KiB in PEM, with its line breaks escaped.
  static let maximumTextBytes = 96 << 10

  /// The names of the fields of the outer object, as they are written.
  static func fieldNames(of bytes: [UInt8]) throws(ReportReaderError) -> Set<String> {
    guard bytes.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) == UInt8(ascii: "{"),
      let text = try? UTF8Span(validating: bytes.span), text.count == bytes.count, !bytes.contains(0)
    else { throw ReportReaderError(.notJSON, "the bytes are no JSON object in UTF-8") }
    var names: Set<String> = []
    var depth = 0
    var values = 0
    var isName = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        values += 1
        isName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        isName = false
      case UInt8(ascii: ","):
        values += 1
        isName = depth == 1
      case UInt8(ascii: "\""):
        let end = try endOfText(in: bytes, from: index + 1)
        if isName {
          let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
          guard names.insert(name).inserted else {
            throw ReportReaderError(.notJSON, "a field stands twice; each may appear only once (RFC 7469 section 3)")
          }
          isName = false
        }
        index = end
      default: break
      }
      guard depth <= maximumDepth, values <= maximumValues else {
        throw ReportReaderError(.overLimit, "values stand deeper in each other, or are more, than in any report")
      }
      index += 1
    }
    return names
  }

  /// The place of the quotation mark that ends a text.
  private static func endOfText(in bytes: [UInt8], from start: Int) throws(ReportReaderError) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < bytes.count else { throw ReportReaderError(.notJSON, "a text doesn't end") }
    guard index - start <= maximumTextBytes else {
      throw ReportReaderError(.overLimit, "a text is longer than in any report")
    }
    return index
  }
}
