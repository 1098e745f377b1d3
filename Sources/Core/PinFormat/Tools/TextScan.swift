/// Looks for bytes in texts.
package enum TextScan {
  /// True where every byte is a printable ASCII character or a line feed.
  package static func isPlainASCII(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      guard text[index] >= 0x20 && text[index] < 0x7F || text[index] == UInt8(ascii: "\n") else { return false }
    }
    return true
  }

  /// The number of bytes of a text in a manifest, without quotation marks (RFC 8785 section 3.2.2.2).
  package static func encodedBytes(_ text: Span<UInt8>) -> Int {
    guard CanonicalWriter.needsEscape(text) else { return text.count }
    var count = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: count += 2
      case 0..<0x20: count += 6
      default: count += 1
      }
    }
    return count
  }

  /// True where every byte is one that a manifest takes in a URI: printable ASCII but a quotation mark and a backslash.
  package static func isURI(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where !ByteSet.uri.contains(text[index]) { return false }
    return true
  }
}
