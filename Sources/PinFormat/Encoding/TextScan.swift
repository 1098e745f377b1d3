/// Looks for bytes in long texts, eight at a time.
package enum TextScan {
  /// True where every byte is a printable ASCII character or a line feed.
  package static func isPlainASCII(_ text: Span<UInt8>) -> Bool {
    var offset = 0
    while let lanes = ByteLanes(text, at: offset) {
      if lanes.areIn(0x20, 0x7E) | lanes.are(UInt8(ascii: "\n")) != ByteLanes.all { return false }
      offset += 8
    }
    while offset < text.count {
      guard text[offset] >= 0x20 && text[offset] < 0x7F || text[offset] == UInt8(ascii: "\n") else { return false }
      offset += 1
    }
    return true
  }

  /// The first place of an ASCII character at an offset or behind it.
  package static func firstIndex(of byte: UInt8, in text: [UInt8], from start: Int) -> Int? {
    let text = text.span
    var offset = start
    while let lanes = ByteLanes(text, at: offset) {
      let found = lanes.are(byte)
      if found != 0 { return offset + ByteLanes.first(found) }
      offset += 8
    }
    while offset < text.count {
      if text[offset] == byte { return offset }
      offset += 1
    }
    return nil
  }

  /// How often an ASCII character stands in a text.
  package static func count(of byte: UInt8, in text: Span<UInt8>) -> Int {
    var count = 0
    var offset = 0
    while let lanes = ByteLanes(text, at: offset) {
      count += ByteLanes.count(lanes.are(byte))
      offset += 8
    }
    while offset < text.count {
      if text[offset] == byte { count += 1 }
      offset += 1
    }
    return count
  }

  /// The bytes that a manifest takes for a text, quotation marks aside (RFC 8785 section 3.2.2.2).
  package static func encodedBytes(_ text: Span<UInt8>) -> Int {
    guard needsEscape(text) else { return text.count }
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

  /// True where JSON escapes a byte: a quotation mark, a backslash, or a control character.
  static func needsEscape(_ text: Span<UInt8>) -> Bool {
    var offset = 0
    while let lanes = ByteLanes(text, at: offset) {
      let marks = lanes.are(UInt8(ascii: "\"")) | lanes.are(UInt8(ascii: "\\")) | lanes.areIn(0, 0x1F)
      if marks != 0 { return true }
      offset += 8
    }
    while offset < text.count {
      let byte = text[offset]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
      offset += 1
    }
    return false
  }
}
