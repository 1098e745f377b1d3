import PinFormat
import PinPolicy

/// Bytes in a literal of which some are characters and others escapes: `b"\x9d\x7c?*"` of Python, `"\235\174?*"` of C.
struct EscapedBytes {
  private(set) var bytes: [UInt8] = []
  /// Between the quotation marks.
  let range: Range<Int>

  /// More than one digest in a literal isn't read: texts with escapes are long.
  private static let most = 33
  private static let named: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "a"): 0x07,
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "e"): 0x1B,
  ]

  /// The literal whose quotation mark is at a place; nil where it isn't one of 28 to 33 bytes, half of them escapes.
  init?(_ source: UnescapedText, at start: Int) {
    let text = source.bytes
    let quote = text[start]
    guard "\"'".utf8.contains(quote), text[(start + 1)...].prefix(Self.most).contains(UInt8(ascii: "\\")) else {
      return nil
    }
    var index = start + 1
    var numbers = 0
    var characters = 0
    while index < text.count, text[index] != quote, bytes.count < Self.most {
      guard (0x20..<0x7F).contains(text[index]) else { return nil }
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        bytes.append(text[index])
        index += 1
        characters += 1
        continue
      }
      let next = text[index + 1]
      let hexadecimal = text[(index + 2)...].prefix(2).prefix(while: FingerprintText.isDigit)
      let octal = text[(index + 1)...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
      if next == UInt8(ascii: "x"), let byte = UInt8(String(decoding: hexadecimal, as: UTF8.self), radix: 16) {
        bytes.append(byte)
        index = hexadecimal.endIndex
        numbers += 1
      } else if let byte = UInt8(String(decoding: octal, as: UTF8.self), radix: 8) {
        bytes.append(byte)
        index = octal.endIndex
        numbers += 1
      } else {
        bytes.append(Self.named[next] ?? next)
        index += 2
      }
    }
    range = start + 1..<index
    // Lists of `\x` alone are read with other separators, also over several literals.
    guard index < text.count, text[index] == quote, bytes.count >= 28, numbers >= 12 else { return nil }
    guard characters > 0 || text[(start + 2)...].first != UInt8(ascii: "x") else { return nil }
  }
}
