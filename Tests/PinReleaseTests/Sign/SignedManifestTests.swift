import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import ReleaseSupport
import Testing

/// Signatures on a manifest: who signed never changes what is signed.
struct SignedManifestTests {
  private static func signer(_ algorithm: SigningAlgorithm) throws -> Signer {
    try Signer(pem: try PrivateKey(generating: algorithm).pem())
  }

  private static func manifest() throws -> Manifest {
    try SmallPolicy.checked(SmallPolicy.web).lowered(as: SmallPolicy.release)
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .ecdsaP256])
  func aClientTakesWhatWasSigned(algorithm: SigningAlgorithm) throws {
    let signer = try Self.signer(algorithm)
    let signed = try SignedManifest.sign(try Self.manifest(), with: [signer])
    let trusted = try TrustedSigners(publicKeys: [signer.keys[0].publicKey], threshold: 1)
    let loaded = try LoadedManifest.load(signed.bytes, signers: trusted, audience: "test")
    #expect(loaded.manifest == (try Self.manifest()))
    #expect(loaded.signedBy == [signer.keys[0].id])
  }

  @Test func ed25519GivesTheSameBytesEachTime() throws {
    let signer = try Self.signer(.ed25519)
    let first = try SignedManifest.sign(try Self.manifest(), with: [signer])
    #expect(try SignedManifest.sign(try Self.manifest(), with: [signer, signer]).bytes == first.bytes)
  }

  @Test func theOrderOfSignersDoesNotMatter() throws {
    let (a, b) = (try Self.signer(.ed25519), try Self.signer(.ed25519))
    let together = try SignedManifest.sign(try Self.manifest(), with: [a, b])
    let inTurn = try SignedManifest.add([a], to: try SignedManifest.sign(try Self.manifest(), with: [b]).bytes)
    #expect(together.bytes == inTurn.bytes)
    #expect(together.signatures.count == 2)
    let trusted = try TrustedSigners(publicKeys: [a.keys[0].publicKey, b.keys[0].publicKey], threshold: 2)
    _ = try LoadedManifest.load(together.bytes, signers: trusted, audience: "test")
  }

  /// All orders of three people, who begin with a draft: one file.
  @Test func anyOrderOfThreeGivesOneFile() throws {
    let people = try [0, 1, 2].map { _ in try Self.signer(.ed25519) }
    let together = try SignedManifest.sign(try Self.manifest(), with: people).bytes
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var file = try SignedManifest.sign(try Self.manifest(), with: []).bytes
      for index in order { file = try SignableManifest(file).signed(by: [people[index]]).bytes }
      #expect(file == together, "\(order)")
    }
  }

  /// Nothing else in the file changes, whatever the keys: the signed bytes and the others' signatures stand as they did.
  @Test func addingLeavesAllElseByteForByte() throws {
    var file = try SignedManifest.sign(try Self.manifest(), with: []).bytes
    #expect(file.starts(with: Array(#"{"signatures":[],"signed":{"#.utf8)))
    let signed = try Self.manifest().signedBytes()
    var before: [SignatureEnvelope.Signature] = []
    for algorithm in [SigningAlgorithm.ecdsaP256, .ed25519, .ecdsaP256] {
      let result = try SignableManifest(file).signed(by: [try Self.signer(algorithm)])
      #expect(result.bytes.suffix(signed.count + 1).elementsEqual(signed + [UInt8(ascii: "}")]))
      #expect(result.signatures.filter { $0.keyID != result.added[0] } == before)
      (file, before) = (result.bytes, result.signatures)
    }
    #expect(before.count == 3)
  }

  /// A signature with random numbers in it would be another one each time.
  @Test func whoeverHasSignedSignsNoSecondTime() throws {
    let signer = try Self.signer(.ecdsaP256)
    let file = try SignedManifest.sign(try Self.manifest(), with: [signer]).bytes
    let again = try SignedManifest.add([signer], to: file)
    #expect(again.bytes == file)
    #expect(again.added == signer.keys.map(\.id))
  }

  @Test func aWrongSignatureOfAKnownKeyIsRefused() throws {
    let (a, b) = (try Self.signer(.ed25519), try Self.signer(.ed25519))
    let signed = try SignedManifest.sign(try Self.manifest(), with: [a, b])
    var signatures = signed.signatures
    signatures[0].bytes[5] ^= 1
    let file = SignatureEnvelope.encode(signed: try Self.manifest().signedBytes(), signatures: signatures)
    let known = (a.keys + b.keys).filter { $0.id == signatures[0].keyID }
    let whose = try #require([a, b].first { $0.keys == known })
    let other = try #require([a, b].first { $0.keys != known })

    let signable = try SignableManifest(file)
    #expect(throws: SigningError.self) { try signable.signers(among: a.keys + b.keys) }
    #expect(try signable.signers(among: other.keys) == Set(other.keys.map(\.id)))
    #expect(throws: SigningError.self) { try signable.signed(by: [whose]) }
    // Without the key, any bytes may be its signature.
    #expect(try signable.signed(by: [other]).bytes == file)
  }

  @Test func thereIsRoomForAsManyAsClientsRead() throws {
    let strangers = try (0..<FormatLimits.signatures).map { number in
      SignatureEnvelope.Signature(keyID: SHA256Digest(try SHA256.digest(of: [UInt8(number)])), bytes: [1])
    }.sorted { $0.keyID < $1.keyID }
    let signed = try Self.manifest().signedBytes()
    let signer = try Self.signer(.ed25519)
    let full = SignatureEnvelope.encode(signed: signed, signatures: strangers)
    #expect(throws: SigningError.self) { try SignableManifest(full).signed(by: [signer]) }
    let nearly = SignatureEnvelope.encode(signed: signed, signatures: Array(strangers.dropLast()))
    #expect(try SignableManifest(nearly).signed(by: [signer]).signatures.count == FormatLimits.signatures)
  }

  @Test func whatNoValidatorWouldReadIsNotSigned() throws {
    var manifest = try Self.manifest()
    manifest.keys[0].denied = String(repeating: "x", count: 5_000)
    #expect(throws: SigningError.self) { try SignedManifest.sign(manifest, with: [try Self.signer(.ed25519)]) }
  }

  @Test func nobodySignsWhatIsNoManifest() throws {
    let signer = try Self.signer(.ed25519)
    for text in ["", "{}", #"{"signatures":[],"signed":{}}"#] {
      #expect(throws: SigningError.self) { try SignedManifest.add([signer], to: Array(text.utf8)) }
    }
  }

  /// It has the canonical form of a manifest, but clients reject it whatever its signatures are.
  @Test func nobodyIsAskedToSignWhatClientsRefuse() throws {
    var extended = try Self.manifest()
    extended.critical = ["later"]
    var mislabelled = try Self.manifest()
    mislabelled.certificates = [.init(fingerprint: SHA256Digest(try SHA256.digest(of: [1])), der: [0x30, 0])]
    mislabelled.hosts[0].trust = .init(anchors: [mislabelled.certificates[0].fingerprint])
    for (manifest, code) in [(extended, "unknown-extension"), (mislabelled, "wrong-certificate")] {
      let file = try SignedManifest.sign(manifest, with: []).bytes
      let error = #expect(throws: SigningError.self) { try SignableManifest(file) }
      #expect(error?.message.contains("[\(code)]") == true, "\(error?.message ?? "")")
    }
  }

  /// Other spacing, another order of fields, something behind the end: also where the content is the same.
  @Test func onlyTheCanonicalFormIsSigned() throws {
    let text = String(decoding: try SignedManifest.sign(try Self.manifest(), with: []).bytes, as: UTF8.self)
    let spoilt = [
      text + "\n", text.replacing(#""signed":{"#, with: #""signed": {"#),
      text.replacing(#""version":1}"#, with: #""version":1,"version":1}"#),
      text.replacing(#""serial":7"#, with: #""serial":07"#),
    ]
    for file in spoilt {
      #expect(file != text)
      #expect(throws: SigningError.self) { try SignableManifest(Array(file.utf8)) }
    }
  }

  @Test func aKeysetIsSaidToBeOne() throws {
    let keyset = Keyset(
      audience: "test", version: 1, issued: SmallPolicy.release.issued, expires: SmallPolicy.release.issued,
      roots: .init(keys: ["a"], threshold: 1), signers: .init(keys: ["a"], threshold: 1),
      keys: [.init(name: "a", subjectPublicKeyInfo: try Self.signer(.ed25519).keys[0].publicKey)])
    let draft = SignatureEnvelope.encode(signed: keyset.signedBytes(), signatures: [])
    let error = #expect(throws: SigningError.self) { try SignableManifest(draft) }
    #expect(error?.isOfKeyset == true)
  }
}
