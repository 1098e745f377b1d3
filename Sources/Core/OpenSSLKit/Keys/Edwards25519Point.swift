#if !CryptoKit
import CLibCrypto
#endif

/// Whether 32 bytes are a public key of Ed25519 that can be trusted.
///
/// libcrypto takes any 32 bytes. By a key of small order anybody signs anything, by one that isn't a point nobody does,
/// and one whose y isn't below p is another's under a second name.
enum Edwards25519Point {
  case usable
  case otherForm
  case smallOrder
  case notOnCurve

  /// Judges the bytes of a public key (RFC 8032 section 5.1.3).
  init(_ bytes: ArraySlice<UInt8>) throws(CryptoError) {
    // y in big-endian order, without the sign of x.
    var y = [UInt8](bytes.reversed())
    y[0] &= 0x7F
    if !y.lexicographicallyPrecedes(Self.prime) {
      self = .otherForm
    } else if Self.smallOrders.contains(y) {
      self = .smallOrder
    } else {
      self = try Self.isOnCurve(y) ? .usable : .notOnCurve
    }
  }

  #if !CryptoKit
  /// x² = (y² - 1) / (d y² + 1): there is such an x where the product of both is a square.
  private static func isOnCurve(_ y: [UInt8]) throws(CryptoError) -> Bool {
    guard let context = BN_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a public key") }
    defer { BN_CTX_free(context) }
    BN_CTX_start(context)
    defer { BN_CTX_end(context) }
    guard let p = BN_CTX_get(context), let u = BN_CTX_get(context), let v = BN_CTX_get(context),
      BN_bin2bn(prime, 32, p) != nil, BN_bin2bn(d, 32, v) != nil, BN_bin2bn(y, 32, u) != nil,
      BN_mod_sqr(u, u, p, context) == 1, BN_mod_mul(v, v, u, p, context) == 1, BN_add_word(v, 1) == 1,
      BN_sub_word(u, 1) == 1, BN_mod_mul(u, u, v, p, context) == 1
    else { throw CryptoError(.failed, "libcrypto could not calculate") }
    return BN_kronecker(u, p, context) == 1
  }
  #endif

  /// p = 2^255 - 19.
  static let prime: [UInt8] = [0x7F] + Array(repeating: 0xFF, count: 30) + [0xED]

  /// The curve's d = -121665/121666 (RFC 8032 section 5.1).
  static let d: [UInt8] = [
    0x52, 0x03, 0x6C, 0xEE, 0x2B, 0x6F, 0xFE, 0x73, 0x8C, 0xC7, 0x40, 0x79, 0x77, 0x79, 0xE8, 0x98,
    0x00, 0x70, 0x0A, 0x4D, 0x41, 0x41, 0xD8, 0xAB, 0x75, 0xEB, 0x4D, 0xCA, 0x13, 0x59, 0x78, 0xA3,
  ]

  /// y of the eight points whose order divides 8: two have y = 0, one 1, one -1, and two each of those of order 8.
  private static let smallOrders: [[UInt8]] = [
    Array(repeating: 0, count: 32),
    Array(repeating: 0, count: 31) + [1],
    [0x7F] + Array(repeating: 0xFF, count: 30) + [0xEC],
    [
      0x7A, 0x03, 0xAC, 0x92, 0x77, 0xFD, 0xC7, 0x4E, 0xC6, 0xCC, 0x39, 0x2C, 0xFA, 0x53, 0x20, 0x2A,
      0x0F, 0x67, 0x10, 0x0D, 0x76, 0x0B, 0x3C, 0xBA, 0x4F, 0xD8, 0x4D, 0x3D, 0x70, 0x6A, 0x17, 0xC7,
    ],
    [
      0x05, 0xFC, 0x53, 0x6D, 0x88, 0x02, 0x38, 0xB1, 0x39, 0x33, 0xC6, 0xD3, 0x05, 0xAC, 0xDF, 0xD5,
      0xF0, 0x98, 0xEF, 0xF2, 0x89, 0xF4, 0xC3, 0x45, 0xB0, 0x27, 0xB2, 0xC2, 0x8F, 0x95, 0xE8, 0x26,
    ],
  ]
}
