/// What makes a SubjectPublicKeyInfo differ from the usual form of its algorithm; the raw value says it as a clause.
///
/// Pins and denials are hashes of these bytes, so one key must have one encoding (docs/validation.md, "One key, one
/// encoding"). libcrypto reads several encodings of most keys.
package enum UnusualKeyForm: String, Hashable, Sendable {
  case notDER = "the public key isn't in the shortest DER form"
  case compressedPoint = "the EC public key is a compressed point, not an uncompressed one"
  case hybridPoint = "the EC public key is a point in hybrid form, not an uncompressed one"
  case explicitCurve = "the key spells out its elliptic curve instead of naming it"
  case wirelessCurve = "the key names its elliptic curve as WTLS did"
  case rsaPSS = "the RSA key's algorithm is id-RSASSA-PSS, not rsaEncryption"
  case rsaParameters = "the RSA key's algorithm has other parameters than NULL"
  case edwardsParameters = "the algorithm of the Edwards-curve key has parameters"
  case mlDSAParameters = "the algorithm of the ML-DSA key has parameters"
  case unreducedPoint = "the Edwards-curve key's y isn't reduced modulo p"
  /// No accepted algorithm has this identifier; libcrypto takes a few of them for another one's.
  case otherAlgorithm = "the key's algorithm isn't named as usual"
}

extension UnusualKeyForm {
  /// Judges a SubjectPublicKeyInfo; nil for the usual form.
  ///
  /// Allocates nothing. What libcrypto checks when it reads the key, such as a point's length, isn't checked again.
  package init?(of spki: [UInt8]) {
    self.init(of: spki, in: spki.indices)
  }

  /// Judges the one that is in a part of some bytes.
  fileprivate init?(of bytes: [UInt8], in range: Range<Int>) {
    let found = bytes.withUnsafeBytes { Self.judge(UnsafeRawBufferPointer(rebasing: $0[range])) }
    guard let found else { return nil }
    self = found
  }

  private static func judge(_ spki: UnsafeRawBufferPointer) -> UnusualKeyForm? {
    var whole = DERReader(spki, spki.startIndex..<spki.endIndex)
    guard var info = whole.enter(.sequence), whole.isAtEnd, var algorithm = info.enter(.sequence),
      let name = algorithm.contents(.objectIdentifier), let key = info.contents(.bitString), info.isAtEnd,
      // The first byte is the number of unused bits.
      key.count > 1, spki[key.lowerBound] == 0
    else { return .notDER }
    let bits = key.lowerBound + 1..<key.upperBound
    switch (name.count, number(spki, name)) {
    // 1.2.840.113549.1.1.1 and .10. The first byte isn't compared, because no other accepted key has the rest.
    case (9, 0x86_4886_F70D_0101_01):
      return algorithm.skip(.null) == nil || !algorithm.isAtEnd ? .rsaParameters : judge(rsaKey: spki, bits)
    case (9, 0x86_4886_F70D_0101_0A): return .rsaPSS
    // 1.2.840.10045.2.1
    case (7, 0x2A_8648_CE3D_0201): return judge(point: spki[bits.lowerBound], on: &algorithm, spki)
    // 1.3.101.112 and 1.3.101.113
    case (3, 0x2B_6570), (3, 0x2B_6571):
      guard algorithm.isAtEnd else { return .edwardsParameters }
      return isReduced(spki, bits) ? nil : .unreducedPoint
    // 2.16.840.1.101.3.4.3.17, .18 and .19
    case (9, 0x8648_0165_0304_0311), (9, 0x8648_0165_0304_0312), (9, 0x8648_0165_0304_0313):
      return algorithm.isAtEnd ? nil : .mlDSAParameters
    default: return .otherAlgorithm
    }
  }

  /// The last eight bytes as a number.
  private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64 {
    var number: UInt64 = 0
    for index in range { number = number << 8 | UInt64(bytes[index]) }
    return number
  }

  /// RFC 8017 section A.1.1; libcrypto takes an integer with leading zeros, or without the one that keeps it positive.
  private static func judge(rsaKey spki: UnsafeRawBufferPointer, _ bits: Range<Int>) -> UnusualKeyForm? {
    var whole = DERReader(spki, bits)
    guard var key = whole.enter(.sequence), whole.isAtEnd else { return .notDER }
    for _ in 0..<2 {
      guard let integer = key.contents(.integer), !integer.isEmpty else { return .notDER }
      let first = spki[integer.lowerBound]
      guard first < 0x80, first > 0 || integer.count == 1 || spki[integer.lowerBound + 1] >= 0x80 else {
        return .notDER
      }
    }
    return key.isAtEnd ? nil : .notDER
  }

  private static func judge(
    point first: UInt8, on algorithm: inout DERReader, _ spki: UnsafeRawBufferPointer
  ) -> UnusualKeyForm? {
    guard let curve = algorithm.contents(.objectIdentifier) else { return .explicitCurve }
    guard algorithm.isAtEnd else { return .notDER }
    // 2.23.43.1.4.n: libcrypto also accepts these identifiers for some of SEC 2's curves.
    if curve.count == 5, number(spki, curve) >> 8 == 0x672B_0104 { return .wirelessCurve }
    switch first {
    case 2, 3: return .compressedPoint
    case 6, 7: return .hybridPoint
    default: return nil
    }
  }

  /// The bytes are y, the lowest first, and the sign of x in the highest bit (RFC 8032 sections 5.1.2 and 5.2.2).
  private static func isReduced(_ bytes: UnsafeRawBufferPointer, _ key: Range<Int>) -> Bool {
    let (start, last) = (key.lowerBound, bytes[key.upperBound - 1] & 0x7F)
    func isFull(_ range: Range<Int>) -> Bool {
      for index in range where bytes[start + index] != 0xFF { return false }
      return true
    }
    switch key.count {
    // p = 2^255 - 19.
    case 32: return last < 0x7F || !isFull(1..<31) || bytes[start] < 0xED
    // p = 2^448 - 2^224 - 1.
    case 57:
      guard last == 0 else { return false }
      return !isFull(29..<56) || bytes[start + 28] < 0xFE || bytes[start + 28] == 0xFE && !isFull(0..<28)
    default: return true
    }
  }
}

extension UnusualKeyForm {
  /// What says how the key has to be encoded.
  package var rule: String {
    switch self {
    case .notDER: "RFC 5280 section 4.1.2.7"
    case .compressedPoint, .hybridPoint: "RFC 5480 section 2.2"
    case .explicitCurve, .wirelessCurve: "RFC 5480 section 2.1.1"
    case .rsaPSS, .rsaParameters: "RFC 3279 section 2.3.1"
    case .edwardsParameters: "RFC 8410 section 3"
    case .mlDSAParameters: "RFC 9881 section 2"
    case .unreducedPoint: "RFC 8032 section 5"
    case .otherAlgorithm: "RFC 3279, RFC 5480, RFC 8410 and RFC 9881"
    }
  }
}

extension Certificate {
  /// How its public key is encoded, where that isn't the usual form.
  package var unusualKeyForm: UnusualKeyForm? { UnusualKeyForm(of: der, in: layout.subjectPublicKeyInfo) }
}
