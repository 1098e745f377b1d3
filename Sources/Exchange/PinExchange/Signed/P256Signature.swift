/// The two encodings of a signature by ECDSA on P-256 that tools write: DER (RFC 3279), and the two numbers in 32 bytes
/// each, one behind the other (IEEE P1363).
package enum P256Signature {
  /// The same two numbers in DER; nil for anything but 64 bytes.
  ///
  /// Sound, because it changes how the numbers are written and not the numbers, and the result is verified. BER
  /// and other near misses of DER are not repaired: nobody writes them who means well.
  package static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 64 else { return nil }
    let body = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(body.count)] + body
  }

  /// An INTEGER of at most 33 bytes, in the fewest that keep it positive.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var number = Array(bytes.drop { $0 == 0 })
    if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
    return [0x02, UInt8(number.count)] + number
  }
}
