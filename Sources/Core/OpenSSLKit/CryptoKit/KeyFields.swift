#if CryptoKit
/// The kind and size of a public key, from its SubjectPublicKeyInfo; whether it is in its usual form is for
/// ``UnusualKeyForm``.
struct KeyFields: Sendable {
  let algorithm: KeyAlgorithm
  /// The public exponent of an RSA key is an odd number above 1; true for keys of other kinds.
  private(set) var hasSoundExponent = true

  /// Nil where the key is of another kind than those that are accepted, or damaged.
  init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var whole = DERReader(bytes, range)
    guard var info = whole.enter(.sequence), whole.isAtEnd, var identifier = info.enter(.sequence),
      let name = identifier.contents(.objectIdentifier), let bits = info.contents(.bitString), info.isAtEnd,
      bits.count > 1, bytes[bits.lowerBound] == 0
    else { return nil }
    let key = bits.lowerBound + 1..<bits.upperBound
    switch Array(bytes[name]) {
    // rsaEncryption (RFC 3279), its name of 1988, and id-RSASSA-PSS (RFC 4055)
    case Self.rsa + [0x01], [0x55, 0x08, 0x01, 0x01], Self.rsa + [0x0A]:
      guard let (count, isSound) = Self.rsaKey(bytes, key) else { return nil }
      algorithm = bytes[name].elementsEqual(Self.rsa + [0x0A]) ? .rsaPSS(bits: count) : .rsa(bits: count)
      hasSoundExponent = isSound
    // id-ecPublicKey (RFC 5480)
    case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]:
      guard let curve = identifier.contents(.objectIdentifier),
        let known = Self.curves.first(where: { bytes[curve].elementsEqual($0.name) }),
        key.count == 1 + 2 * ((known.bits + 7) / 8), bytes[key.lowerBound] == 4
      else { return nil }
      algorithm = .ec(bits: known.bits, curve: known.title)
    // id-Ed25519 and id-Ed448 (RFC 8410)
    case [0x2B, 0x65, 0x70] where key.count == 32: algorithm = .ed25519
    case [0x2B, 0x65, 0x71] where key.count == 57: algorithm = .ed448
    default:
      guard let named = KeyAlgorithm(namedIn: bytes, range) else { return nil }
      algorithm = named
    }
  }

  /// The bits of the modulus, and whether the exponent is an odd number above 1 (RFC 8017 section A.1.1).
  private static func rsaKey(_ bytes: UnsafeRawBufferPointer, _ key: Range<Int>) -> (Int, Bool)? {
    var whole = DERReader(bytes, key)
    guard var numbers = whole.enter(.sequence), let modulus = numbers.contents(.integer),
      let exponent = numbers.contents(.integer)
    else { return nil }
    let digits = bytes[modulus].drop { $0 == 0 }
    guard let first = digits.first, let last = bytes[exponent].last else { return nil }
    let isOne = last == 1 && bytes[exponent].dropLast().allSatisfy { $0 == 0 }
    return (digits.count * 8 - first.leadingZeroBitCount, last & 1 == 1 && !isOne)
  }

  // 1.2.840.113549.1.1
  private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]

  /// Those whose certificates a platform may accept, and weaker ones, so that they are called weak (SEC 2, version 2).
  private static let curves: [(name: [UInt8], bits: Int, title: String)] = [
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], 256, "P-256"),
    ([0x2B, 0x81, 0x04, 0x00, 0x22], 384, "P-384"),
    ([0x2B, 0x81, 0x04, 0x00, 0x23], 521, "P-521"),
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01], 192, "P-192"),
    ([0x2B, 0x81, 0x04, 0x00, 0x21], 224, "P-224"),
    ([0x2B, 0x81, 0x04, 0x00, 0x0A], 256, "secp256k1"),
  ]
}

extension CertificateSignature {
  /// Reads an AlgorithmIdentifier (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
  init(algorithm range: Range<Int>, in bytes: UnsafeRawBufferPointer) {
    self.init(family: CertificateSignature.Family(named: bytes, range), digest: nil)
    var whole = DERReader(bytes, range)
    guard var identifier = whole.enter(.sequence), let name = identifier.contents(.objectIdentifier),
      let last = bytes[name].last
    else { return }
    switch Array(bytes[name].dropLast()) {
    case [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]:
      let digests: [UInt8: String] = [4: "MD5", 5: "SHA1", 11: "SHA256", 12: "SHA384", 13: "SHA512", 14: "SHA224"]
      if let digest = digests[last] {
        self.init(family: .rsaPKCS1, digest: digest)
      } else if last == 10 {
        self.init(family: .rsaPSS, digest: Self.digest(ofPSS: identifier, bytes))
      }
    case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04]:
      if last == 1 { self.init(family: .ecdsa, digest: "SHA1") }
    case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03]:
      let digests: [UInt8: String] = [1: "SHA224", 2: "SHA256", 3: "SHA384", 4: "SHA512"]
      if let digest = digests[last] { self.init(family: .ecdsa, digest: digest) }
    case [0x2B, 0x65]:
      if last == 0x70 || last == 0x71 { self.init(family: .eddsa, digest: nil) }
    default: break
    }
  }

  /// The hash of RSASSA-PSS-params, which is SHA-1 where it isn't named (RFC 4055 section 3.1).
  private static func digest(ofPSS identifier: DERReader, _ bytes: UnsafeRawBufferPointer) -> String? {
    var identifier = identifier
    guard var parameters = identifier.enter(.sequence) else { return nil }
    guard var tagged = parameters.enter(.context0) else { return "SHA1" }
    guard var hash = tagged.enter(.sequence), let name = hash.contents(.objectIdentifier), let last = bytes[name].last,
      // 2.16.840.1.101.3.4.2
      bytes[name].dropLast().elementsEqual([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02])
    else { return "an unknown algorithm" }
    let digests: [UInt8: String] = [1: "SHA256", 2: "SHA384", 3: "SHA512", 4: "SHA224"]
    return digests[last]
  }
}
#endif
