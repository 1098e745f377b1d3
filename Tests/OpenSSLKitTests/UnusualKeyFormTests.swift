import OpenSSLKit
import TestSupport
import Testing

/// One key has one encoding that is accepted.
@Suite struct UnusualKeyFormTests {
  struct Key: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var options: [String]
    var output: [String] = []
    var form: UnusualKeyForm?

    /// SubjectPublicKeyInfo of a new key.
    func spki() throws -> [UInt8] {
      let key = try runSuccessfully("openssl", ["genpkey"] + options)
      return try runSuccessfully("openssl", ["pkey", "-pubout", "-outform", "DER"] + output, stdin: key)
    }
  }

  static func ec(_ curve: String) -> [String] { ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:\(curve)"] }
  static let rsa = ["-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:2048"]

  @Test(arguments: [
    Key(testDescription: "RSA", options: rsa),
    Key(testDescription: "P-256", options: ec("P-256")), Key(testDescription: "P-384", options: ec("P-384")),
    Key(testDescription: "P-521", options: ec("P-521")), Key(testDescription: "secp256k1", options: ec("secp256k1")),
    Key(testDescription: "brainpoolP256r1", options: ec("brainpoolP256r1")),
    Key(testDescription: "Ed25519", options: ["-algorithm", "ed25519"]),
    Key(testDescription: "Ed448", options: ["-algorithm", "ed448"]),
    Key(
      testDescription: "compressed", options: ec("P-384"), output: ["-ec_conv_form", "compressed"],
      form: .compressedPoint),
    Key(testDescription: "hybrid", options: ec("P-521"), output: ["-ec_conv_form", "hybrid"], form: .hybridPoint),
    Key(
      testDescription: "explicit", options: ec("P-256") + ["-pkeyopt", "ec_param_enc:explicit"], form: .explicitCurve),
    Key(
      testDescription: "WTLS", options: ec("wap-wsg-idm-ecid-wtls12") + ["-pkeyopt", "ec_param_enc:named_curve"],
      form: .wirelessCurve),
    Key(testDescription: "RSA-PSS", options: ["-algorithm", "rsa-pss"], form: .rsaPSS),
    Key(testDescription: "X25519", options: ["-algorithm", "x25519"], form: .otherAlgorithm),
  ])
  func keysOfOpenSSL(_ key: Key) throws {
    #expect(UnusualKeyForm(of: try key.spki()) == key.form)
  }

  /// No change of a few bits leaves the same key in a form that is accepted.
  ///
  /// A signature shows whether it is the same key, so that the tested code isn't used for that.
  @Test(arguments: [CertificateProfile.Key.p256, .rsa(bits: 2_048), .ed25519])
  func noSecondEncoding(_ kind: CertificateProfile.Key) throws {
    let pki = try TestPKI.standard().pki
    let root = try pki.issue(.authority("Encoded").with { $0.key = kind })
    let signed = try Certificate(der: try pki.issue(.leaf("signed"), by: root).der)
    let authority = try Certificate(der: root.der)
    try #require(authority.hasSigned(signed))
    var others = 0
    for place in authority.layout.subjectPublicKeyInfo {
      for change in [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF] as [UInt8] {
        var der = root.der
        der[place] ^= change
        guard let changed = try? Certificate(der: der), changed.hasSigned(signed) else { continue }
        others += 1
        #expect(changed.unusualKeyForm != nil, "byte \(place) changed by \(change)")
      }
    }
    // libcrypto accepts some of them: the parameters of RSA, a hybrid point's first byte, unused bits.
    if case .ed25519 = kind { return }
    #expect(others > 0)
  }

  /// y from p on is another y's second encoding.
  @Test func reducedCoordinates() throws {
    let prime25519 = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    let prime448 =
      [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0x00]
    for (prime, name) in [(prime25519, 0x70), (prime448, 0x71)] as [([UInt8], UInt8)] {
      func form(_ change: (inout [UInt8]) -> Void) -> UnusualKeyForm? {
        var key = prime
        change(&key)
        let count = UInt8(key.count)
        let spki = [0x30, count + 10, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, name, 0x03, count + 1, 0x00] + key
        return UnusualKeyForm(of: spki)
      }
      #expect(form { _ in } == .unreducedPoint)
      #expect(form { $0[0] -= 1 } == nil)
      #expect(form { $0[$0.count - 1] |= 0x80 } == .unreducedPoint)
      #expect(form { ($0[0], $0[$0.count - 1]) = ($0[0] - 1, $0[$0.count - 1] | 0x80) } == nil)
      #expect(form { $0[20] = 0xFE } == nil)
    }
    var high = prime448
    (high[0], high[28]) = (0, 0xFF)
    #expect(UnusualKeyForm(of: ([0x30, 67, 0x30, 5, 6, 3, 0x2B, 0x65, 0x71, 3, 58, 0] + high)) == .unreducedPoint)
    high[56] = 1
    #expect(UnusualKeyForm(of: ([0x30, 67, 0x30, 5, 6, 3, 0x2B, 0x65, 0x71, 3, 58, 0] + high)) == .unreducedPoint)
  }

  @Test func whatIsNoKey() {
    for bytes in [[], [0x30], [0x30, 0x00], [0x30, 0x02, 0x30, 0x00], [UInt8](repeating: 0x30, count: 300)] {
      #expect(UnusualKeyForm(of: bytes) == .notDER)
    }
  }
}
