/// What an object identifier of a key or a signature names, where libcrypto may not know it.
struct AlgorithmName {
  private let bytes: UnsafeRawBufferPointer
  private let range: Range<Int>

  /// Takes the contents of an OBJECT IDENTIFIER.
  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  /// The last number below an arc of so many bytes, where it takes one byte more.
  private func number(below arc: UInt64, _ count: Int) -> Int? {
    guard range.count == count + 1 else { return nil }
    var found: UInt64 = 0
    for index in range.dropLast() { found = found << 8 | UInt64(bytes[index]) }
    let last = bytes[range.upperBound - 1]
    return found == arc && last < 0x80 ? Int(last) : nil
  }

  /// 2.16.840.1.101.3.4.3: NIST's signature algorithms.
  private var ofNIST: Int? { number(below: 0x6086_4801_6503_0403, 8) }

  /// The parameter set of ML-DSA that is named (RFC 9881 section 2).
  var mlDSA: MLDSA? {
    MLDSA.allCases.first { Int($0.arc) == ofNIST }
  }

  /// The name where it is one that Pintle doesn't accept, but people may have: SLH-DSA (RFC 9909), pre-hashed and composite
  /// signatures.
  private var known: String? {
    let sets = ["128s", "128f", "192s", "192f", "256s", "256f"]
    switch ofNIST {
    case let number? where (20..<32).contains(number):
      return "SLH-DSA-" + (number < 26 ? "SHA2-" : "SHAKE-") + sets[(number - 20) % 6]
    case let number? where (32..<35).contains(number): return "HashML-DSA-" + ["44", "65", "87"][number - 32]
    case let number? where (35..<47).contains(number):
      return "HashSLH-DSA-" + (number < 41 ? "SHA2-" : "SHAKE-") + sets[(number - 35) % 6]
    default: break
    }
    // Keys that don't sign (RFC 8410 section 3), and DSA (RFC 3279 section 2.3.2).
    switch number(below: 0x2B65, 2) {
    case 110: return "X25519"
    case 111: return "X448"
    default: break
    }
    if number(below: 0x2A86_48CE_3804, 6) == 1 { return "DSA" }
    // 1.3.6.1.5.5.7.6, PKIX's algorithms (draft-ietf-lamps-pq-composite-sigs)
    guard let number = number(below: 0x2B_0601_0505_0706, 7), (37..<55).contains(number) else { return nil }
    let set = number < 41 ? "44" : number < 49 ? "65" : "87"
    return "composite ML-DSA-" + set + " with " + Self.partners[number - 37]
  }

  private static let partners = [
    "RSA-PSS 2048", "RSA 2048", "Ed25519", "ECDSA P-256", "RSA-PSS 3072", "RSA 3072", "RSA-PSS 4096", "RSA 4096",
    "ECDSA P-256", "ECDSA P-384", "ECDSA brainpoolP256r1", "Ed25519", "ECDSA P-384", "ECDSA brainpoolP384r1", "Ed448",
    "RSA-PSS 3072", "RSA-PSS 4096", "ECDSA P-521",
  ]

  /// Whether every libcrypto reads keys of this kind: RSA, also as RSASSA-PSS, elliptic curves, Ed25519 and Ed448.
  var isOfClassicKey: Bool {
    switch number(below: 0x2A86_4886_F70D_0101, 8) {
    case 1, 10: return true
    default: break
    }
    switch number(below: 0x2B65, 2) {
    case 112, 113: return true
    default: break
    }
    // 1.2.840.10045.2 and RSA's name of 1988, 2.5.8.1
    return number(below: 0x2A86_48CE_3D02, 6) == 1 || number(below: 0x55_0801, 3) == 1
  }

  /// The name, or the identifier with dots.
  var text: String {
    if let mlDSA { return mlDSA.title }
    if let known { return known }
    var text = ""
    var number: UInt64 = 0
    for index in range.prefix(32) {
      let byte = bytes[index]
      guard number >> 56 == 0 else { return "an unknown algorithm" }
      number = number << 7 | UInt64(byte & 0x7F)
      guard byte < 0x80 else { continue }
      if text.isEmpty {
        // The first two numbers share a byte or more (X.690 section 8.19).
        let first = min(number / 40, 2)
        text = String(first)
        number -= first * 40
      }
      text += "." + String(number)
      number = 0
    }
    return text.isEmpty || range.count > 32 ? "an unknown algorithm" : text
  }
}
