import OpenSSLKit
import TestSupport
import Testing

@Suite struct KeyTests {
  private let message = Array("a message".utf8)

  @Test(arguments: [SigningAlgorithm.ed25519, .ecdsaP256])
  func signsWhatItVerifies(_ algorithm: SigningAlgorithm) throws {
    let key = try PrivateKey(generating: algorithm)
    let signature = try key.sign(message)
    let publicKey = try key.publicKey()
    #expect(try publicKey.isValid(signature: signature, for: message))
    #expect(try !publicKey.isValid(signature: signature, for: message + [0]))
    #expect(try !publicKey.isValid(signature: signature + [0], for: message))
    #expect(try !publicKey.isValid(signature: [], for: message))
    #expect(try !PrivateKey(generating: algorithm).publicKey().isValid(signature: signature, for: message))
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(try !publicKey.isValid(signature: changed, for: message))
    }
  }

  @Test func theAlgorithmIsTheKeys() throws {
    let ed25519 = try PrivateKey(generating: .ed25519)
    let ecdsa = try PrivateKey(generating: .ecdsaP256)
    #expect(try !ed25519.publicKey().isValid(signature: ecdsa.sign(message), for: message))
    #expect(try !ecdsa.publicKey().isValid(signature: ed25519.sign(message), for: message))
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .ecdsaP256])
  func pemComesBack(_ algorithm: SigningAlgorithm) throws {
    let key = try PrivateKey(generating: algorithm)
    let pem = try key.pem()
    #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try PrivateKey(pem: pem)
    #expect(again.algorithm == algorithm)
    #expect(try again.subjectPublicKeyInfo() == key.subjectPublicKeyInfo())
    let publicPEM = try key.publicKey().pem()
    #expect(try PublicKey(pem: publicPEM).subjectPublicKeyInfo == key.subjectPublicKeyInfo())
    // openssl derives the same public key from the private key.
    #expect(try runSuccessfully("openssl", ["pkey", "-pubout"], stdin: pem) == publicPEM)
  }

  @Test func opensslVerifiesOurSignatures() throws {
    let directory = try TemporaryDirectory()
    let key = try PrivateKey(generating: .ecdsaP256)
    let publicKey = try directory.write(key.publicKey().pem(), to: "public.pem")
    let signature = try directory.write(key.sign(message), to: "signature")
    let result = try run(
      "openssl", ["dgst", "-sha256", "-verify", publicKey, "-signature", signature], stdin: message)
    #expect(result.status == 0)
  }

  /// Private keys as `openssl` writes them, and what becomes of them.
  @Test(
    arguments: [
      (["genpkey", "-algorithm", "ed25519"], nil),
      (["ecparam", "-name", "prime256v1", "-genkey"], nil),
      (["ecparam", "-name", "prime256v1", "-genkey", "-noout"], nil),
      (["genpkey", "-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], nil),
      (["genpkey", "-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"], .unsupported),
      (["genrsa", "-traditional", "1024"], .unsupported),
      (["genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:secret"], .encryptedKey),
      (["genrsa", "-traditional", "-aes256", "-passout", "pass:secret", "1024"], .encryptedKey),
      (["version"], .nothingFound),
    ] as [([String], CryptoError.Code?)])
  func readsPrivateKeys(_ command: [String], _ expected: CryptoError.Code?) throws {
    let pem = try runSuccessfully("openssl", command)
    #expect(code { () throws(CryptoError) in _ = try PrivateKey(pem: pem) } == expected)
  }

  /// By such a key of Ed25519 anybody signs, or nobody, or another one is the same; libcrypto takes all of them.
  @Test(
    arguments: [
      ("01" + String(repeating: "00", count: 31), "small order"),
      (String(repeating: "00", count: 31) + "80", "small order"),
      ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", "small order"),
      ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "small order"),
      ("ec" + String(repeating: "ff", count: 30) + "7f", "small order"),
      ("ed" + String(repeating: "ff", count: 30) + "7f", "isn't below"),
      ("f0" + String(repeating: "ff", count: 30) + "ff", "isn't below"),
      ("02" + String(repeating: "00", count: 31), "isn't a point"),
      ("03" + String(repeating: "00", count: 31), nil),
    ] as [(String, String?)])
  func pointsOfEd25519(_ hexadecimal: String, _ expected: String?) throws {
    let key = try PublicKey(subjectPublicKeyInfo: bytes("302a300506032b6570032100" + hexadecimal))
    var message: String?
    do throws(CryptoError) {
      try key.checkSigningKey()
    } catch {
      message = error.message
    }
    #expect((message == nil) == (expected == nil))
    if let expected { #expect(message?.contains(expected) == true, "\(message ?? "")") }
  }

  /// The public key has one form, whatever the private key's file says.
  @Test func publicKeysOfCompressedPoints() throws {
    let key = try PrivateKey(generating: .ecdsaP256)
    let compressed = try runSuccessfully("openssl", ["pkey", "-ec_conv_form", "compressed"], stdin: key.pem())
    #expect(try compressed != key.pem())
    #expect(try PrivateKey(pem: compressed).subjectPublicKeyInfo() == key.subjectPublicKeyInfo())
    #expect(try key.publicKey().isSigningKeyInItsOneForm)
  }

  @Test func refusesDamagedKeys() throws {
    let key = try PrivateKey(generating: .ed25519)
    let pem = try key.pem()
    #expect(code { () throws(CryptoError) in _ = try PrivateKey(pem: pem + pem) } == .malformed)
    #expect(code { () throws(CryptoError) in _ = try PrivateKey(pem: pem.dropLast(12) + []) } == .malformed)
    let publicKey = try key.subjectPublicKeyInfo()
    for bytes in [[], publicKey + [0], publicKey.dropLast() + [], [0x30, 0x80] + publicKey] {
      #expect(code { () throws(CryptoError) in _ = try PublicKey(subjectPublicKeyInfo: bytes) } == .malformed)
    }
  }

  @Test func namesAlgorithms() throws {
    let commands: [([String], KeyAlgorithm)] = [
      (["-algorithm", "ed25519"], .ed25519),
      (["-algorithm", "ed448"], .ed448),
      (["-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:1024"], .rsa(bits: 1_024)),
      (["-algorithm", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:1024"], .rsaPSS(bits: 1_024)),
      (["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], .ec(bits: 256, curve: "P-256")),
      (["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"], .ec(bits: 521, curve: "P-521")),
      (["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"], .ec(bits: 256, curve: "secp256k1")),
      (
        ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"],
        .ec(bits: 256, curve: "explicit")
      ),
      (["-algorithm", "x25519"], .other("X25519")),
    ]
    for (options, expected) in commands {
      let key = try runSuccessfully("openssl", ["genpkey"] + options)
      let pem = try runSuccessfully("openssl", ["pkey", "-pubout"], stdin: key)
      #expect(try PublicKey(pem: pem).algorithm == expected)
    }
  }

  private func bytes(_ hexadecimal: String) throws -> [UInt8] {
    try stride(from: 0, to: hexadecimal.count, by: 2).map { offset in
      try #require(UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16))
    }
  }
}

/// The code of the error that a body throws; nil where it throws none.
func code(_ body: () throws(CryptoError) -> Void) -> CryptoError.Code? {
  do throws(CryptoError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}
