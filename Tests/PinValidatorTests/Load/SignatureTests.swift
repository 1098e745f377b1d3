import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Whose signatures count")
struct SignatureTests {
  private let manifest: Manifest
  private let alice: TestSigner
  private let bob: TestSigner
  private let mallory: TestSigner

  init() throws {
    manifest = try .sample(hosts: [.init("example.com")])
    alice = try TestSigner(.ed25519)
    bob = try TestSigner(.ecdsaP256)
    mallory = try TestSigner()
  }

  private func code(
    _ bytes: [UInt8], trusted: [TestSigner], threshold: Int = 1
  ) throws -> ManifestError.Code? {
    let signers = try TrustedSigners(publicKeys: trusted.map(\.publicKey), threshold: threshold)
    do {
      _ = try LoadedManifest.load(bytes, signers: signers, audience: "production")
      return nil
    } catch { return error.code }
  }

  @Test("Thresholds count distinct trusted keys")
  func thresholds() throws {
    let both = try file(manifest, signedBy: [alice, bob])
    let one = try file(manifest, signedBy: [alice])
    #expect(try code(both, trusted: [alice, bob], threshold: 2) == nil)
    #expect(try code(both, trusted: [alice], threshold: 1) == nil)
    #expect(try code(one, trusted: [alice, bob], threshold: 1) == nil)
    #expect(try code(one, trusted: [alice, bob], threshold: 2) == .tooFewSignatures)
    // The same key twice counts once.
    #expect(try code(one, trusted: [alice, alice], threshold: 1) == nil)
    #expect(throws: ManifestError.self) {
      try TrustedSigners(publicKeys: [alice.publicKey, alice.publicKey], threshold: 2)
    }
  }

  @Test("A signature by an unknown key is ignored and never counts")
  func unknownKeys() throws {
    #expect(try code(file(manifest, signedBy: [mallory]), trusted: [alice]) == .tooFewSignatures)
    #expect(try code(file(manifest, signedBy: [alice, mallory]), trusted: [alice]) == nil)
    #expect(
      try code(file(manifest, signedBy: [alice, mallory]), trusted: [alice, bob], threshold: 2) == .tooFewSignatures)
  }

  @Test("A trusted key's signature that doesn't fit refuses the file, also where enough others fit")
  func wrongSignatureBesideGoodOne() throws {
    let signed = manifest.signedBytes()
    var forged = try mallory.signature(of: signed)
    forged.keyID = bob.keyID
    let bytes = SignatureEnvelope.encode(signed: signed, signatures: [try alice.signature(of: signed), forged])
    #expect(try code(bytes, trusted: [alice, bob]) == .invalidSignature)
  }

  @Test("A signature over bare bytes, or over another type, is invalid")
  func preAuthenticationEncoding() throws {
    let key = try PrivateKey(generating: .ed25519)
    let publicKey = try key.subjectPublicKeyInfo()
    let keyID = try #require(SHA256Digest(try sha256(publicKey)))
    let signed = manifest.signedBytes()
    let signers = try TrustedSigners(publicKeys: [publicKey], threshold: 1)
    for message in [signed, DSSE.preAuthenticationEncoding(type: "application/json", body: signed)] {
      let bytes = SignatureEnvelope.encode(
        signed: signed, signatures: [.init(keyID: keyID, bytes: try key.sign(message))])
      #expect(throws: ManifestError.self) {
        try LoadedManifest.load(bytes, signers: signers, audience: "production")
      }
    }
  }

  @Test("Verifying in place leaves the bytes as they were, whatever the result, and no other bytes are changed")
  func inPlace() throws {
    let good = try file(manifest, signedBy: [alice])
    let scanned = try SignatureEnvelope(scanning: good)
    var forged = good
    forged[scanned.signed.upperBound - 3] ^= 1
    let wrongWithin = try file(Array("{\"audience\":7}".utf8), signedBy: [alice])
    for (bytes, trusted) in [(good, alice), (forged, alice), (wrongWithin, alice), (good, bob)] {
      let signers = try TrustedSigners(publicKeys: [trusted.publicKey], threshold: 1)
      var lent = bytes.map { $0 }
      let held = lent
      _ = try? LoadedManifest.load(in: &lent, signers: signers, requiredAudience: nil)
      #expect(lent == bytes)
      #expect(held == bytes)
    }
  }

  @Test("The encoding that is lent is the one that is made", arguments: SignedContent.allCases)
  func lentEncoding(content: SignedContent) throws {
    struct Refusal: Error {}
    let signed = Array(#"{"a":1}"#.utf8)
    // A draft has fewer bytes before its signed bytes than the encoding has.
    for signatures in [[], [try alice.signature(of: signed)]] {
      let bytes = SignatureEnvelope.encode(signed: signed, signatures: signatures)
      let envelope = try SignatureEnvelope(draft: bytes, as: content)
      var lent = bytes
      let encoding = envelope.withPreAuthenticationEncoding(in: &lent, as: content) { Array($0[$1]) }
      #expect(encoding == SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content))
      #expect(lent == bytes)
      #expect(throws: Refusal.self) {
        try envelope.withPreAuthenticationEncoding(in: &lent, as: content) { _, _ throws(Refusal) in throw Refusal() }
      }
      #expect(lent == bytes)
    }
  }

  @Test("Keys are read in DER and PEM; keys of other kinds and private keys are refused")
  func keyForms() throws {
    let key = try PrivateKey(generating: .ecdsaP256)
    let der = try key.subjectPublicKeyInfo()
    let pem = try key.publicKey().pem()
    #expect(
      try TrustedSigners(publicKeys: [der], threshold: 1).keyIDs
        == TrustedSigners(publicKeys: [pem], threshold: 1).keyIDs)
    for unusable in [try key.pem(), [], [0x30, 0x00], Array("no key".utf8), der + [0]] {
      let error = #expect(throws: ManifestError.self) { try TrustedSigners(publicKeys: [der, unusable], threshold: 1) }
      #expect(error?.code == .unusableSigner)
      #expect(error?.message.hasPrefix("trusted key 2 ") == true)
    }
    for threshold in [-1, 0, 2] {
      let error = #expect(throws: ManifestError.self) { try TrustedSigners(publicKeys: [der], threshold: threshold) }
      #expect(error?.code == .unusableThreshold)
    }
    #expect(throws: ManifestError.self) { try TrustedSigners(publicKeys: [], threshold: 1) }
  }

  @Test("One key in two encodings isn't two keys")
  func encodingsOfOneKey() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(bob.publicKey, to: "key.der")
    let options = ["-pubin", "-inform", "DER", "-in", path, "-outform", "DER", "-ec_conv_form", "compressed"]
    let compressed = try runSuccessfully("openssl", ["pkey"] + options)
    // A long-form length that would fit the short form.
    let long = [alice, bob].map { ($0, [0x30, 0x81] + $0.publicKey.dropFirst()) }
    for (signer, other) in [(bob, compressed)] + long {
      // libcrypto accepts both.
      #expect(try PublicKey(subjectPublicKeyInfo: other).subjectPublicKeyInfo != signer.publicKey)
      let error = #expect(throws: ManifestError.self) {
        try TrustedSigners(publicKeys: [signer.publicKey, other], threshold: 2)
      }
      #expect(error?.code == .unusableSigner)
    }
  }

  @Test("An ECDSA signature in another encoding than DER is invalid")
  func malleableSignature() throws {
    let signed = manifest.signedBytes()
    var signature = try bob.signature(of: signed)
    // A long-form length that would fit the short form.
    signature.bytes = [0x30, 0x81] + signature.bytes.dropFirst()
    let bytes = SignatureEnvelope.encode(signed: signed, signatures: [signature])
    #expect(try code(bytes, trusted: [bob]) == .invalidSignature)
  }
}
