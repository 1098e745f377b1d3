/// What one pass over a text finds out about it as a DNS name.
struct HostNameScan {
  /// The length without a trailing dot.
  let count: Int
  /// Letters in upper case or a trailing dot: the text means a name but isn't its canonical form.
  let isCanonical: Bool
  /// The last label is a number, so that the text is an IPv4 address or nothing.
  let endsInNumber: Bool

  /// Checks a text that holds no colon and no bracket.
  ///
  /// A question may hold what servers answer to though it isn't a host name by RFC 1123: underscores, and hyphens at a
  /// label's edge.
  init(_ text: Span<UInt8>, isQuestion: Bool) throws(HostNameError) {
    var end = text.count
    if end > 1, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
    guard end > 0 else { throw .empty }
    guard end <= 253 else { throw .tooLong }
    var isLower = true
    var label = 0
    for index in 0..<end {
      let byte = text[index]
      if ByteSet.lettersAndDigits.contains(byte) || byte == UInt8(ascii: "-") { continue }
      switch byte {
      case UInt8(ascii: "."):
        try Self.checkLabel(text, label, index, isQuestion: isQuestion)
        label = index + 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): isLower = false
      case UInt8(ascii: "_") where isQuestion: continue
      case 0x80...: throw .notASCII
      default: throw .invalidCharacter(byte)
      }
    }
    try Self.checkLabel(text, label, end, isQuestion: isQuestion)
    count = end
    isCanonical = isLower && end == text.count
    endsInNumber = Self.isNumber(text, label, end)
  }

  private static func checkLabel(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, isQuestion: Bool
  ) throws(HostNameError) {
    guard start < end else { throw .emptyLabel }
    guard end - start <= 63 else { throw .labelTooLong }
    guard isQuestion || text[start] != UInt8(ascii: "-") && text[end - 1] != UInt8(ascii: "-") else {
      throw .hyphenAtEdge
    }
  }

  /// Decimal digits only, or `0x` and hexadecimal digits only.
  private static func isNumber(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard text[start] >= UInt8(ascii: "0"), text[start] <= UInt8(ascii: "9") else { return false }
    let isHexadecimal =
      end - start > 1 && text[start] == UInt8(ascii: "0") && text[start + 1] | 0x20 == UInt8(ascii: "x")
    for index in start + (isHexadecimal ? 2 : 0)..<end {
      let byte = text[index] | (isHexadecimal ? 0x20 : 0)
      let isDigit = text[index] >= UInt8(ascii: "0") && text[index] <= UInt8(ascii: "9")
      let isHexadecimalLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
      guard isDigit || isHexadecimal && isHexadecimalLetter else { return false }
    }
    return true
  }
}
