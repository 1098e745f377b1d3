import OpenSSLKit
import TestSupport
import Testing

@Suite struct CertificateTests {
  @Test func factsOfALeaf() throws {
    let pki = try TestPKI()
    let root = try pki.issue(.authority("Bücher, Root"))
    let profile = CertificateProfile.leaf("leaf", names: ["DNS:example.com", "DNS:*.example.com", "IP:10.0.0.5"])
    let made = try pki.issue(
      profile.with {
        $0.alternativeNames += ["IP:2001:db8::1", "email:a@example.com"]
        $0.notBefore = "1999-12-31"
        $0.notAfter = "2051-01-01"
        $0.extendedKeyUsage = "serverAuth,1.2.3.4"
      }, by: root)
    let leaf = try Certificate(der: made.der)
    #expect(leaf.subject == "CN=leaf")
    #expect(leaf.issuer == "CN=Bücher\\, Root,O=Pintle Tests")
    #expect(leaf.commonName == "leaf")
    #expect(leaf.organization == nil)
    #expect(leaf.notBefore == 946_598_400)
    #expect(leaf.notAfter == 2_556_144_000)
    #expect(!leaf.isCA)
    #expect(!leaf.isSelfIssued)
    #expect(leaf.alternativeNames.dns == ["example.com", "*.example.com"])
    #expect(leaf.alternativeNames.addresses == ["10.0.0.5", "2001:db8::1"])
    #expect(leaf.keyAlgorithm == .ec(bits: 256, curve: "P-256"))
    #expect(leaf.signature == CertificateSignature(family: .ecdsa, digest: "SHA256"))
    #expect(leaf.extendedKeyUsage == ["serverAuth", "UNDEF"])
    #expect(!leaf.repeatsAnExtension)

    let authority = try Certificate(der: root.der)
    #expect(authority.isCA)
    #expect(authority.isSelfIssued)
    #expect(authority.commonName == "Bücher, Root")
    #expect(authority.organization == "Pintle Tests")
    #expect(authority.alternativeNames.texts == [])
    #expect(authority.subjectKeyIdentifier?.count == 20)
    #expect(authority.subjectKeyIdentifier == leaf.authorityKeyIdentifier)
  }

  @Test func bytesAreTheCertificatesOwn() throws {
    let made = try TestPKI.standard().leaf
    let certificate = try Certificate(der: made.der)
    #expect(certificate.der == made.der)
    #expect(try certificate.pem() == made.pem)
    let publicKey = try runSuccessfully("openssl", ["x509", "-in", made.path, "-noout", "-pubkey"])
    #expect(try certificate.subjectPublicKeyInfo == der(ofPEM: publicKey))
    let fingerprint = try runSuccessfully("openssl", ["x509", "-in", made.path, "-noout", "-fingerprint", "-sha256"])
    let text = String(decoding: fingerprint, as: UTF8.self).filter { $0.isHexDigit || $0 == "=" }
    #expect(text.lowercased().hasSuffix("=" + hex(certificate.fingerprint)))
  }

  /// Signatures, and the names of their algorithms.
  @Test func signatures() throws {
    let pki = try TestPKI()
    let root = try pki.issue(.authority("RSA").with { $0.key = .rsa(bits: 2_048) })
    let table: [([String], String, CertificateSignature, Bool)] = [
      ([], "sha256", CertificateSignature(family: .rsaPKCS1, digest: "SHA256"), true),
      ([], "sha512", CertificateSignature(family: .rsaPKCS1, digest: "SHA512"), true),
      ([], "sha1", CertificateSignature(family: .rsaPKCS1, digest: "SHA1"), false),
      ([], "md5", CertificateSignature(family: .rsaPKCS1, digest: "MD5"), false),
      (["rsa_padding_mode:pss"], "sha384", CertificateSignature(family: .rsaPSS, digest: "SHA384"), true),
      (["rsa_padding_mode:pss"], "sha1", CertificateSignature(family: .rsaPSS, digest: "SHA1"), false),
    ]
    for (options, digest, expected, isStrong) in table {
      let profile = CertificateProfile.leaf().with {
        $0.signatureOptions = options
        $0.digest = digest
      }
      let signature = try Certificate(der: pki.issue(profile, by: root).der).signature
      #expect(signature == expected)
      #expect(signature.isStrong == isStrong)
    }
    let ed25519 = try pki.issue(
      .authority("Ed25519").with {
        $0.key = .ed25519
        $0.digest = "null"
      })
    let signature = try Certificate(der: ed25519.der).signature
    #expect(signature == CertificateSignature(family: .eddsa, digest: nil))
    #expect(signature.isStrong)
  }

  @Test func layoutRefusesEveryCut() throws {
    let der = try TestPKI.standard().leaf.der
    #expect(CertificateLayout(der) != nil)
    for count in 0..<der.count { #expect(CertificateLayout(Array(der.prefix(count))) == nil) }
    #expect(CertificateLayout(der + [0]) == nil)
  }

  /// Bytes anywhere may lie about lengths: whatever the walk finds, it stays inside the bytes.
  @Test func layoutStaysInside() throws {
    let der = try TestPKI.standard().leaf.der
    for index in der.indices {
      for value in [0x00, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xFF] as [UInt8] where value != der[index] {
        var changed = der
        changed[index] = value
        guard let layout = CertificateLayout(changed) else { continue }
        #expect(changed.indices.contains(layout.subjectPublicKeyInfo.lowerBound))
        #expect(layout.subjectPublicKeyInfo.upperBound <= changed.count)
      }
    }
  }

  /// BER that libcrypto would read: a length in too long a form, and an indefinite one.
  @Test func refusesBER() throws {
    let der = try TestPKI.standard().leaf.der
    let longer = [0x30, 0x83, 0x00] + der[2...]
    #expect(code { () throws(CryptoError) in _ = try Certificate(der: longer) } == .malformed)
    let indefinite = [0x30, 0x80] + der[4...] + [0, 0]
    #expect(code { () throws(CryptoError) in _ = try Certificate(der: indefinite) } == .malformed)
  }

  @Test func readsBundles() throws {
    let chain = try TestPKI.standard()
    let pem = Array("text before\n".utf8) + chain.leaf.pem + Array("text between\n".utf8) + chain.root.pem
    #expect(try Certificate.read(pem).map(\.der) == [chain.leaf.der, chain.root.der])
    #expect(try Certificate.read(chain.leaf.der).map(\.der) == [chain.leaf.der])
    #expect(code { () throws(CryptoError) in _ = try Certificate.read(Array("nothing".utf8)) } == .malformed)
    let key = Array("-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n".utf8)
    #expect(code { () throws(CryptoError) in _ = try Certificate.read(pem + key) } == .malformed)
    #expect(code { () throws(CryptoError) in _ = try Certificate.read(pem.dropLast(20) + []) } == .malformed)
  }
}
