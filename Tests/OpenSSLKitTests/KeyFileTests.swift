import OpenSSLKit
import TestSupport
import Testing

/// Files that name a public key, in every form that a policy may hold, and those that it must not.
@Suite struct KeyFileTests {
  @Test func readsCertificates() throws {
    let chain = try TestPKI.standard()
    for (bytes, expected) in [
      (chain.leaf.pem, [chain.leaf.der]), (chain.leaf.der, [chain.leaf.der]),
      (chain.leaf.pem + chain.root.pem, [chain.leaf.der, chain.root.der]),
    ] {
      guard case .certificates(let certificates, _) = try KeyFile(bytes) else {
        Issue.record("no certificates")
        continue
      }
      #expect(certificates.map(\.der) == expected)
    }
  }

  @Test func readsRequests() throws {
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("[req]\ndistinguished_name = none\n[none]\n", to: "request.cnf")
    let command = [
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", configuration,
      "-keyout", directory.path("key"), "-subj", "/O=Example/CN=spare",
    ]
    let pem = try runSuccessfully("openssl", command)
    let publicKey = try der(ofPEM: runSuccessfully("openssl", ["req", "-noout", "-pubkey"], stdin: pem))
    for bytes in [pem, try der(ofPEM: pem)] {
      guard case .request(let request) = try KeyFile(bytes) else {
        Issue.record("no request")
        continue
      }
      #expect(request.subject == "CN=spare,O=Example")
      #expect(request.commonName == "spare")
      #expect(request.organization == "Example")
      #expect(request.subjectPublicKeyInfo == publicKey)
      #expect(request.keyAlgorithm == .ec(bits: 256, curve: "P-256"))
    }
    var changed = try der(ofPEM: pem)
    changed[changed.count - 1] ^= 1
    #expect(code { () throws(CryptoError) in _ = try CertificateRequest(der: changed) } == .malformed)
  }

  @Test func readsPublicKeys() throws {
    let key = try PrivateKey(generating: .ed25519).publicKey()
    for bytes in [try key.pem(), key.subjectPublicKeyInfo] {
      guard case .publicKey(let info, let algorithm) = try KeyFile(bytes) else {
        Issue.record("no public key")
        continue
      }
      #expect(info == key.subjectPublicKeyInfo)
      #expect(algorithm == .ed25519)
    }
  }

  /// Private keys in every form in which `openssl` writes them, PEM and DER.
  @Test(arguments: [
    ["genpkey", "-algorithm", "ed25519"],
    ["genpkey", "-algorithm", "ed25519", "-outform", "DER"],
    ["genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:secret"],
    ["ecparam", "-name", "prime256v1", "-genkey"],
    ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-outform", "DER"],
    ["genrsa", "-traditional", "1024"],
    ["genrsa", "-traditional", "-aes256", "-passout", "pass:secret", "1024"],
  ])
  func refusesPrivateKeys(_ command: [String]) throws {
    let bytes = try runSuccessfully("openssl", command)
    #expect(code { () throws(CryptoError) in _ = try KeyFile(bytes) } == .privateKey)
    // Also with a certificate beside it.
    guard PEMBlock.looksLikePEM(bytes) else { return }
    let both = try TestPKI.standard().leaf.pem + bytes
    #expect(code { () throws(CryptoError) in _ = try KeyFile(both) } == .privateKey)
  }

  @Test func refusesProtectedKeysInDER() throws {
    let key = try PrivateKey(generating: .ed25519).pem()
    let protected = try runSuccessfully(
      "openssl", ["pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:secret"], stdin: key)
    #expect(code { () throws(CryptoError) in _ = try KeyFile(protected) } == .privateKey)
  }

  /// Clients reject the certificates of such keys, so their pins would never match.
  @Test func refusesUnusualForms() throws {
    let made = try TestPKI.standard().pki.issue(.leaf("compressed").with { $0.key = .p256Point("compressed") })
    let publicKey = try runSuccessfully("openssl", ["x509", "-in", made.path, "-noout", "-pubkey"])
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("[req]\ndistinguished_name = none\n[none]\n", to: "request.cnf")
    let request = try runSuccessfully(
      "openssl", ["req", "-new", "-key", made.keyPath, "-config", configuration, "-subj", "/CN=spare"])
    for bytes in [made.pem, made.der, try TestPKI.standard().root.pem + made.pem, publicKey, request] {
      #expect(code { () throws(CryptoError) in _ = try KeyFile(bytes) } == .unusualKeyForm)
    }
  }

  /// With an exponent of 1, anybody can sign; an even one can't be an RSA exponent.
  ///
  /// The case rsa-exponent. A modulus is the product of large primes.
  @Test func refusesUnsoundRSAKeys() throws {
    func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
      contents.count < 0x80
        ? [tag, UInt8(contents.count)] + contents
        : [tag, 0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)] + contents
    }
    let algorithm: [UInt8] = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0x00]
    func message(modulus last: UInt8, exponent: [UInt8]) -> String {
      let modulus = element(2, [0, 0xC3] + [UInt8](repeating: 0x5B, count: 254) + [last])
      let key = element(0x30, algorithm + element(3, [0] + element(0x30, modulus + element(2, exponent))))
      do throws(CryptoError) {
        _ = try KeyFile(key)
        return "accepted"
      } catch {
        return error.code == .unusualKeyForm ? error.message : "\(error.code)"
      }
    }
    for exponent in [[1], [4], [1, 0, 0]] as [[UInt8]] {
      #expect(message(modulus: 0x03, exponent: exponent).contains("exponent is even or 1"))
    }
    // The last byte decides what divides the modulus; the test's numbers were found by trying.
    #expect(message(modulus: 0x03, exponent: [1, 0, 1]) == "accepted")
    for (last, factor) in [(0x00, 2), (0x01, 3), (0xFF, 839)] as [(UInt8, Int)] {
      #expect(message(modulus: last, exponent: [1, 0, 1]).contains("can be divided by \(factor),"))
    }
  }

  @Test func refusesWhatIsNoKey() throws {
    let chain = try TestPKI.standard()
    let publicKey = try PrivateKey(generating: .ed25519).publicKey().pem()
    #expect(code { () throws(CryptoError) in _ = try KeyFile([]) } == .nothingFound)
    #expect(code { () throws(CryptoError) in _ = try KeyFile(Array("sha256/AAAA".utf8)) } == .nothingFound)
    #expect(code { () throws(CryptoError) in _ = try KeyFile(chain.leaf.pem + publicKey) } == .malformed)
    #expect(code { () throws(CryptoError) in _ = try KeyFile(publicKey + publicKey) } == .malformed)
    // A signer's key is alone in its file.
    let secret = try PrivateKey(generating: .ed25519).pem()
    for (pem, wanted) in [
      (publicKey + publicKey, CryptoError.Code.malformed), (publicKey + chain.leaf.pem, .malformed),
      (publicKey + secret, .malformed), (secret, .privateKey), (chain.leaf.pem, .malformed),
      (Array("x".utf8), .nothingFound),
    ] {
      #expect(code { () throws(CryptoError) in _ = try PublicKey(pem: pem) } == wanted)
    }
  }
}
