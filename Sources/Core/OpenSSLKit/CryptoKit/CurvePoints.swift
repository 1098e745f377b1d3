#if CryptoKit
extension Edwards25519Point {
  /// x² = (y² - 1) / (d y² + 1): there is such an x where the product of both is a square (RFC 8032 section 5.1.3).
  static func isOnCurve(_ y: [UInt8]) throws(CryptoError) -> Bool {
    let field = PrimeField(prime: UInt256(bigEndian: prime))
    let y = UInt256(bigEndian: y)
    let square = field.multiply(y, y)
    let above = field.subtract(square, UInt256(1))
    let below = field.add(field.multiply(UInt256(bigEndian: d), square), UInt256(1))
    return field.isSquare(field.multiply(above, below))
  }
}

/// Whether coordinates, 32 bytes each, are reduced and those of a point: y² = x³ - 3x + b (SEC 2 version 2, section 2.4.2).
///
/// The curve has no other points of small order than infinity, which has no such form.
func isOnP256(_ coordinates: ArraySlice<UInt8>) -> Bool {
  let field = PrimeField(prime: UInt256(bigEndian: primeOfP256))
  let x = UInt256(bigEndian: coordinates.prefix(32))
  let y = UInt256(bigEndian: coordinates.dropFirst(32))
  guard coordinates.count == 64, x < field.prime, y < field.prime else { return false }
  let factor = field.subtract(field.multiply(x, x), UInt256(3))
  return field.multiply(y, y) == field.add(field.multiply(factor, x), UInt256(bigEndian: bOfP256))
}

/// True for a signature of Ed25519 in its one form: R reduced, and S below the order of the group, or S plus the order
/// would be a second one (RFC 8032 section 5.1.7).
func isCanonicalEd25519Signature(_ signature: [UInt8]) -> Bool {
  guard signature.count == 64 else { return false }
  var r = [UInt8](signature[..<32].reversed())
  r[0] &= 0x7F
  return r.lexicographicallyPrecedes(Edwards25519Point.prime)
    && signature[32...].reversed().lexicographicallyPrecedes(orderOfEd25519)
}

/// p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
private let primeOfP256: [UInt8] = [
  0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
]

private let bOfP256: [UInt8] = [
  0x5A, 0xC6, 0x35, 0xD8, 0xAA, 0x3A, 0x93, 0xE7, 0xB3, 0xEB, 0xBD, 0x55, 0x76, 0x98, 0x86, 0xBC,
  0x65, 0x1D, 0x06, 0xB0, 0xCC, 0x53, 0xB0, 0xF6, 0x3B, 0xCE, 0x3C, 0x3E, 0x27, 0xD2, 0x60, 0x4B,
]

/// L = 2^252 + 27742317777372353535851937790883648493 (RFC 8032 section 5.1), big-endian.
private let orderOfEd25519: [UInt8] = [
  0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x14, 0xDE, 0xF9, 0xDE, 0xA2, 0xF7, 0x9C, 0xD6, 0x58, 0x12, 0x63, 0x1A, 0x5C, 0xF5, 0xD3, 0xED,
]
#endif
