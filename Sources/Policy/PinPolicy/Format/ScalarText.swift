/// How a text is written as a scalar: without quotes if every reader of YAML reads the same text.
package enum ScalarText {
  /// The text as a plain scalar, or in quotes.
  package static func written(_ text: String, inFlow: Bool) -> String {
    isPlain(text, inFlow: inFlow) ? text : quoted(text)
  }

  /// The text as it is written again: plain where no reader takes it for anything but this text, else in quotes.
  package static func unmistakable(_ text: String, inFlow: Bool = false) -> String {
    isPlain(text, inFlow: inFlow) && !looksTyped(text) ? text : quoted(text)
  }

  /// True where a plain scalar has this text, for YAML 1.1 and YAML 1.2 (sections 7.3.3).
  static func isPlain(_ text: String, inFlow: Bool) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last, !text.hasPrefix("---"), !text.hasPrefix("...") else {
      return false
    }
    if isBlank(first) || isBlank(last) || last == UInt8(ascii: ":") || hasControl(text) { return false }
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
      guard bytes.count > 1, !isBlank(bytes[1]), !inFlow else { return false }
    case let byte where "!&*#|>@`'\"%,[]{}".utf8.contains(byte): return false
    default: break
    }
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: " ")
      switch byte {
      case UInt8(ascii: ":") where isBlank(next) || inFlow && isFlowIndicator(next): return false
      case UInt8(ascii: "#") where index > 0 && isBlank(bytes[index - 1]): return false
      case let byte where inFlow && isFlowIndicator(byte): return false
      default: break
      }
    }
    return true
  }

  /// True where editors and other readers take the text for a number, a truth value, a date or nothing, unless it is in
  /// quotes (YAML 1.2.2 section 10.3.2; the types of YAML 1.1).
  static func looksTyped(_ text: String) -> Bool {
    let words = ["true", "false", "null", "~", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf", "<<", "="]
    if words.contains(text.lowercased()) { return true }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    guard let first = digits.first, isDigit(first) || first == UInt8(ascii: ".") else { return digits.isEmpty }
    // With two dots and no colon, such as an address or a version, it is neither a number nor a time.
    let points = digits.count { $0 == UInt8(ascii: ".") }
    if points > 1, !digits.contains(UInt8(ascii: ":")) { return false }
    return digits.allSatisfy { isDigit($0) || "abcdefABCDEFxo_.+-:TtZz ".utf8.contains($0) }
  }

  /// In double quotes (YAML 1.2.2 section 5.7).
  static func quoted(_ text: String) -> String {
    var written = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": written += "\\\""
      case "\\": written += "\\\\"
      case "\n": written += "\\n"
      case "\t": written += "\\t"
      case _ where isControl(scalar): written += escaped(scalar)
      default: written.unicodeScalars.append(scalar)
      }
    }
    return written + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let width = scalar.value > 0xFFFF ? 8 : 4
    return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func hasControl(_ text: String) -> Bool { text.unicodeScalars.contains(where: isControl) }

  /// What a file may not hold as it is.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func isFlowIndicator(_ byte: UInt8) -> Bool { ",[]{}".utf8.contains(byte) }
}
