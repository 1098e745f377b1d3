/// The two numbers of an ECDSA P-256 signature as PKCS #11 gives them: r and then s, 32 bytes each, big-endian.
enum ECDSANumbers {
  /// The same signature in DER (RFC 3279 section 2.2.3); nil where it isn't 64 bytes long.
  static func der(_ numbers: [UInt8]) -> [UInt8]? {
    guard numbers.count == 64 else { return nil }
    let content = integer(numbers.prefix(32)) + integer(numbers.suffix(32))
    return [0x30, UInt8(content.count)] + content
  }

  private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
    // Without leading zeroes, but for the one that keeps the number positive, and for the number 0.
    let digits = number.drop { $0 == 0 }
    guard let first = digits.first else { return [0x02, 1, 0] }
    let padding: [UInt8] = first < 0x80 ? [] : [0]
    return [0x02, UInt8(padding.count + digits.count)] + padding + digits
  }
}
