import OpenSSLKit
import PinExchange
import PinFormat
import PinValidator
import Testing

/// Whose signatures are, when other tools name keys in their own way.
struct NamingTests {
  private struct Signed {
    let content: [UInt8]
    let a: TestSigner
    let b: TestSigner
    let byA: [UInt8]
    let byB: [UInt8]

    init() throws {
      content = try Scene.manifest()
      a = try TestSigner(.ed25519)
      b = try TestSigner(.ecdsaP256)
      byA = try a.sign(content)
      byB = try b.sign(content)
    }
  }

  private static let foreign = String(repeating: "5", count: 64)

  @Test(arguments: [nil, "alice", "SHA256:abc", foreign] as [String?])
  func eachKeyIsTriedWhateverTheNames(name: String?) throws {
    let signed = try Signed()
    let document = try Scene.document(signed.content, [(name, signed.byB), (name, signed.byA)])
    let named = try document.named(byTrying: [signed.a.publicKey, signed.b.publicKey])
    #expect(named.keyIDs == [signed.a.keyID, signed.b.keyID].sorted())
    #expect(named.omitted == 0)
    #expect(named.converted == [])
    let signers = try TrustedSigners(publicKeys: [signed.a.publicKey, signed.b.publicKey], threshold: 2)
    _ = try LoadedManifest.load(named.file, signers: signers, audience: "test")
  }

  @Test func withoutKeysTheNamesMustBeOurs() throws {
    let signed = try Signed()
    for name in [nil, "alice", signed.a.keyID.hex.uppercased(), String(signed.a.keyID.hex.dropLast())] {
      let document = try Scene.document(signed.content, [(name, signed.byA)])
      #expect(code { try document.named(byTrying: []) } == .namelessSignature)
    }
    let document = try Scene.document(signed.content, [(signed.a.keyID.hex, signed.byA)])
    #expect(try document.named(byTrying: []).keyIDs == [signed.a.keyID])
  }

  @Test func aWrongSignatureOfAKeyThatWasGivenRefusesAll() throws {
    let signed = try Signed()
    var spoilt = signed.byA
    spoilt[5] ^= 1
    let document = try Scene.document(
      signed.content, [(signed.a.keyID.hex, spoilt), (signed.b.keyID.hex, signed.byB)])
    #expect(code { try document.named(byTrying: [signed.a.publicKey, signed.b.publicKey]) } == .invalidSignature)
    // Without a's key, its wrong signature is kept, as in any file.
    #expect(try document.named(byTrying: [signed.b.publicKey]).keyIDs.count == 2)
  }

  @Test func anothersNameDoesNotLendItsWeight() throws {
    let signed = try Signed()
    // b signed, and claims to be a: rejected if a is known, named b if only b is known.
    let document = try Scene.document(signed.content, [(signed.a.keyID.hex, signed.byB)])
    #expect(code { try document.named(byTrying: [signed.a.publicKey, signed.b.publicKey]) } == .invalidSignature)
    #expect(try document.named(byTrying: [signed.b.publicKey]).keyIDs == [signed.b.keyID])
  }

  @Test func signaturesOfOtherToolsKeysAreLeftOut() throws {
    let signed = try Signed()
    let document = try Scene.document(
      signed.content, [("release", signed.byA), ("other", signed.byB), (nil, [UInt8](repeating: 1, count: 600))])
    let named = try document.named(byTrying: [signed.a.publicKey])
    #expect(named.keyIDs == [signed.a.keyID])
    #expect(named.omitted == 2)
    #expect(code { try document.named(byTrying: [TestSigner().publicKey]) } == .unsigned)
  }

  @Test func aKeyCountsOnce() throws {
    let signed = try Signed()
    let again = try signed.b.sign(signed.content)
    #expect(again != signed.byB)
    let document = try Scene.document(
      signed.content, [(nil, signed.byB), (signed.b.keyID.hex, again), ("x", signed.byB)])
    let named = try document.named(byTrying: [signed.b.publicKey, signed.b.publicKey])
    #expect(named.keyIDs == [signed.b.keyID])
    let signers = try TrustedSigners(publicKeys: [signed.a.publicKey, signed.b.publicKey], threshold: 2)
    #expect(throws: ManifestError.self) {
      try LoadedManifest.load(named.file, signers: signers, audience: "test")
    }
    // Without the key, it is unknown which of the two is valid.
    let unknown = try Scene.document(
      signed.content, [(signed.b.keyID.hex, signed.byB), (signed.b.keyID.hex, again)])
    #expect(code { try unknown.named(byTrying: []) } == .namelessSignature)
    let twice = try Scene.document(
      signed.content, [(signed.b.keyID.hex, signed.byB), (signed.b.keyID.hex, signed.byB)])
    #expect(try twice.named(byTrying: []).keyIDs == [signed.b.keyID])
  }

  @Test func twoBareNumbersBecomeDER() throws {
    let signed = try Signed()
    let raw = try #require(Self.raw(signed.byB))
    for name in [nil, signed.b.keyID.hex] {
      let document = try Scene.document(signed.content, [(name, raw)])
      let named = try document.named(byTrying: [signed.b.publicKey])
      #expect(named.converted == [signed.b.keyID])
      #expect(try SignatureEnvelope(scanning: named.file).signatures.map(\.bytes) == [signed.byB])
    }
    // Without the key, the kind of the key is unknown.
    let document = try Scene.document(signed.content, [(signed.b.keyID.hex, raw)])
    #expect(try SignatureEnvelope(scanning: document.named(byTrying: []).file).signatures.map(\.bytes) == [raw])
  }

  @Test func otherFormsOfDERAreNotMended() throws {
    let signed = try Signed()
    let long = [0x30, 0x81] + signed.byB.dropFirst()
    let trailing = signed.byB + [0]
    for bytes in [long, trailing] {
      let document = try Scene.document(signed.content, [(signed.b.keyID.hex, bytes)])
      #expect(code { try document.named(byTrying: [signed.b.publicKey]) } == .invalidSignature)
    }
  }

  @Test func aManifestsSignatureIsNoneOfAKeyset() throws {
    let root = try TestSigner()
    let keyset = try Scene.keyset(roots: [root])
    let name = root.keyID.hex
    let right = try Scene.document(keyset, [(name, try root.sign(keyset, as: .keyset))], as: .keyset)
    #expect(try right.named(byTrying: []).keyIDs == [root.keyID])
    let wrong = try Scene.document(keyset, [(name, try root.sign(keyset, as: .manifest))], as: .keyset)
    #expect(code { try wrong.named(byTrying: []) } == .invalidSignature)
    // The bytes of one kind with the type of the other.
    let mixed = try Scene.document(keyset, [(name, try root.sign(keyset, as: .manifest))], as: .manifest)
    #expect(code { try mixed.named(byTrying: [root.publicKey]) } == .notCanonical)
  }

  @Test func aKeysetBringsTheKeysOfItsRoots() throws {
    let (root, before) = (try TestSigner(.ecdsaP256), try TestSigner())
    let keyset = try Scene.keyset(roots: [root])
    let own = try root.sign(keyset, as: .keyset)
    let old = try before.sign(keyset, as: .keyset)
    let document = try Scene.document(keyset, [("x", own), (nil, old)], as: .keyset)
    #expect(try document.named(byTrying: []).keyIDs == [root.keyID])
    #expect(try document.named(byTrying: []).omitted == 1)
    #expect(try document.named(byTrying: [before.publicKey]).keyIDs == [root.keyID, before.keyID].sorted())
  }

  @Test func nothingComesOfWhatIsNotCanonicalOrNotSigned() throws {
    let signed = try Signed()
    let draft = try Scene.document(signed.content, [])
    #expect(code { try draft.named(byTrying: [signed.a.publicKey]) } == .unsigned)
    let spaced = Array(
      String(decoding: signed.content, as: UTF8.self).replacing("\"serial\":", with: "\"serial\": ").utf8)
    let document = try Scene.document(spaced, [(signed.a.keyID.hex, try signed.a.sign(spaced))])
    #expect(code { try document.named(byTrying: [signed.a.publicKey]) } == .notCanonical)
    #expect(code { try document.named(byTrying: [[0x30, 0x00]]) } == .notCanonical)
    let right = try Scene.document(signed.content, [(signed.a.keyID.hex, signed.byA)])
    #expect(code { try right.named(byTrying: [[0x30, 0x00]]) } == .unusableKey)
  }

  @Test(
    arguments: [
      ([0x00, 0x00, 0x01], [0x02, 0x01, 0x01]),
      ([0x00, 0x00, 0x80], [0x02, 0x02, 0x00, 0x80]),
      ([0x7F, 0xFF, 0xFF], [0x02, 0x20, 0x7F]),
      ([0x80, 0x00, 0x00], [0x02, 0x21, 0x00, 0x80]),
      ([0x00, 0x00, 0x00], [0x02, 0x01, 0x00]),
    ] as [([UInt8], [UInt8])])
  func numbersAreAsShortAsTheyCanBe(ends: [UInt8], begin: [UInt8]) throws {
    // 32 bytes with the given first, middle and last byte.
    let number = [ends[0]] + [UInt8](repeating: ends[1], count: 30) + [ends[2]]
    let der = try #require(P256Signature.der(fromRaw: number + number))
    #expect(der[0] == 0x30)
    #expect(Int(der[1]) == der.count - 2)
    #expect(der[2...].starts(with: begin))
    #expect(der.count % 2 == 0)
    #expect(P256Signature.der(fromRaw: number) == nil)
    #expect(P256Signature.der(fromRaw: number + number + [0]) == nil)
  }

  /// The two numbers of a signature in DER, in 32 bytes each.
  private static func raw(_ der: [UInt8]) -> [UInt8]? {
    guard der.count > 8 else { return nil }
    var raw: [UInt8] = []
    var rest = der[2...]
    for _ in 0..<2 {
      let count = Int(rest[rest.startIndex + 1])
      let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
      raw += [UInt8](repeating: 0, count: 32 - number.count) + number
      rest = rest.dropFirst(2 + count)
    }
    return raw
  }
}
