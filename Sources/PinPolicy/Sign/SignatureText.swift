import PinFormat

/// What a program that signs may have meant by its output: a signature as it is, or written as text.
enum SignatureText {
  /// Each way to read it, in no order: which one is meant is known from what verifies.
  static func readings(of output: [UInt8]) -> [[UInt8]] {
    var readings = [output]
    // Command lines of key services print Base64 of either alphabet, padded or not.
    for other in [hex(output), Base64.decode(withoutSpace(output), accepting: .tools)] {
      if let other, !other.isEmpty, !readings.contains(other) { readings.append(other) }
    }
    return readings
  }

  /// Hexadecimal digits of either case, with white space around them, or between them where lines were broken.
  private static func hex(_ text: [UInt8]) -> [UInt8]? {
    let digits = withoutSpace(text).map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 }
    return Hex.decode(digits)
  }

  private static func withoutSpace(_ text: [UInt8]) -> [UInt8] {
    text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }
}
