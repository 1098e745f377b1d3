import OpenSSLKit
import PinCompiler
import PinFormat
import PinValidator
import Testing

/// Signatures on a manifest: who signed never changes what is signed.
struct SignedManifestTests {
  private static func signer(_ algorithm: SigningAlgorithm) throws -> Signer {
    try Signer(pem: try PrivateKey(generating: algorithm).pem())
  }

  private static func manifest() throws -> Manifest {
    try LoweringTests.checked(LoweringTests.web).lowered(as: LoweringTests.release)
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
}
