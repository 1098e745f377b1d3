import PinFormat

/// What a program that signs may have meant by its output: a signature as it is, or written as text.
enum SignatureText {
  /// Each way to read it, in no order: which one is meant is told by what verifies.
  static func readings(of output: [UInt8]) -> [[UInt8]] {
    var readings = [output]
    for other in [hex(output), base64(output)] {
      if let other, !other.isEmpty, !readings.contains(other) { readings.append(other) }
    }
    return readings
  }

  /// Hexadecimal digits of either case, with white space around them, or between them where lines were broken.
  private static func hex(_ text: [UInt8]) -> [UInt8]? {
    let digits = withoutSpace(text).map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 }
    return Hex.decode(digits)
  }

  /// Base64 of either alphabet, padded or not: command lines of key services print all four.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    var symbols = withoutSpace(text)
    while symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
    symbols = symbols.map { symbol in
      switch symbol {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: symbol
      }
    }
    let padding = (4 - symbols.count % 4) % 4
    return padding == 3 ? nil : Base64.decode(symbols + [UInt8](repeating: UInt8(ascii: "="), count: padding))
  }

  private static func withoutSpace(_ text: [UInt8]) -> [UInt8] {
    text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }
}
