import OpenSSLKit
import TestSupport
import Testing

/// Private keys that a passphrase protects.
struct PassphraseTests {
  private static func secret(_ text: String) -> SecretBytes {
    let secret = SecretBytes()
    for byte in text.utf8 { #expect(secret.append(byte)) }
    return secret
  }

  /// Ways in which `openssl` protects a key.
  @Test(
    arguments: [
      ["pkcs8", "-topk8"],
      ["pkcs8", "-topk8", "-scrypt"],
      ["pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512", "-iter", "5000"],
      ["ec", "-aes256"],
      ["ec", "-des3"],
    ])
  func opensWhatOpenSSLProtects(_ command: [String]) throws {
    let key = try PrivateKey(generating: .ecdsaP256)
    let pem = try runSuccessfully("openssl", command + ["-passout", "pass:pässword"], stdin: key.pem())
    #expect(try PrivateKey.isProtected(pem: pem))
    #expect(code { () throws(CryptoError) in _ = try PrivateKey(pem: pem) } == .encryptedKey)
    let opened = try PrivateKey(pem: pem, passphrase: Self.secret("pässword"))
    #expect(try opened.subjectPublicKeyInfo() == key.subjectPublicKeyInfo())
    for wrong in ["password", "pässwor", "pässwordd", ""] {
      let result = code { () throws(CryptoError) in _ = try PrivateKey(pem: pem, passphrase: Self.secret(wrong)) }
      #expect(result == .wrongPassphrase, "\(wrong)")
    }
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .ecdsaP256])
  func openSSLOpensWhatIsProtectedHere(_ algorithm: SigningAlgorithm) throws {
    let key = try PrivateKey(generating: algorithm)
    let pem = try key.pem(passphrase: Self.secret("a pass phrase"))
    #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    let directory = try TemporaryDirectory()
    let passphrase = try directory.write("a pass phrase\n", to: "passphrase")
    let opened = try runSuccessfully("openssl", ["pkey", "-passin", "file:" + passphrase], stdin: pem)
    #expect(try opened == key.pem())
    #expect(try PrivateKey(pem: pem, passphrase: Self.secret("a pass phrase")).pem() == key.pem())
    // Each time with a new salt and a new initialisation vector.
    #expect(try key.pem(passphrase: Self.secret("a pass phrase")) != pem)
    // scrypt with N = 2^14, r = 8 and p = 5, and AES-256.
    let parts = String(decoding: try runSuccessfully("openssl", ["asn1parse"], stdin: pem), as: UTF8.self)
    let costs = ["4000", "08", "05"].map { "INTEGER           :" + $0 }
    for part in costs + [":scrypt", ":aes-256-cbc"] { #expect(parts.contains(part), "\(part)") }
  }

  @Test func damageIsNotTakenForAnything() throws {
    let key = try PrivateKey(generating: .ed25519)
    let pem = try key.pem(passphrase: Self.secret("secret"))
    let block = try #require(try PEMBlock.read(pem).first)
    for index in stride(from: 0, to: block.bytes.count, by: Thoroughness.pick(61, full: 7)) {
      var bytes = block.bytes
      bytes[index] ^= 0x10
      let damaged = try PEMBlock.write(label: "ENCRYPTED PRIVATE KEY", bytes: bytes)
      // A changed first block may go unnoticed if only bytes of the key differ; then it is another key.
      let opened = code { () throws(CryptoError) in
        let other = try PrivateKey(pem: damaged, passphrase: Self.secret("secret"))
        #expect(try other.subjectPublicKeyInfo() != key.subjectPublicKeyInfo())
      }
      #expect([nil, .wrongPassphrase, .malformed, .unsupported].contains(opened), "byte \(index)")
    }
  }

  @Test func otherKindsOfKeysStayRefused() throws {
    let rsa = try runSuccessfully("openssl", ["genrsa", "-aes256", "-passout", "pass:secret", "1024"])
    for (passphrase, expected) in [("secret", CryptoError.Code.unsupported), ("other", .wrongPassphrase)] {
      let result = code { () throws(CryptoError) in
        _ = try PrivateKey(pem: rsa, passphrase: Self.secret(passphrase))
      }
      #expect(result == expected)
    }
  }

  @Test func aPassphraseHasItsLimits() throws {
    let secret = SecretBytes()
    #expect(!secret.append(0) && secret.isEmpty)
    for _ in 0..<SecretBytes.limit { #expect(secret.append(0x61)) }
    #expect(!secret.append(0x61) && secret.count == SecretBytes.limit)
    let key = try PrivateKey(generating: .ed25519)
    #expect(try PrivateKey(pem: key.pem(passphrase: secret), passphrase: secret).pem() == key.pem())
    #expect(Self.secret("a").isEqual(to: Self.secret("a")) && !Self.secret("a").isEqual(to: Self.secret("ab")))
  }
}
