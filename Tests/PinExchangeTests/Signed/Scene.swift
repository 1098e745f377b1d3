import OpenSSLKit
import PinExchange
import PinFormat
import Testing

/// A signer of the tests.
struct TestSigner {
  let publicKey: [UInt8]
  let keyID: SHA256Digest
  private let privateKey: [UInt8]

  init(_ algorithm: SigningAlgorithm = .ed25519) throws {
    let key = try PrivateKey(generating: algorithm)
    privateKey = try key.pem()
    publicKey = try key.subjectPublicKeyInfo()
    keyID = SHA256Digest(try PublicKey(subjectPublicKeyInfo: publicKey).digest())
  }

  func sign(_ signed: [UInt8], as content: SignedContent = .manifest) throws -> [UInt8] {
    try sign(message: SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content))
  }

  func sign(message: [UInt8]) throws -> [UInt8] { try PrivateKey(pem: privateKey).sign(message) }
}

/// What is exchanged in these tests.
enum Scene {
  /// A small manifest.
  static func manifest() throws -> [UInt8] {
    let issued = try #require(Instant(written: "2026-11-21"))
    return Manifest(
      audience: "test", serial: 1, issued: issued, refreshAfter: issued, expires: issued, onStale: .enforce,
      previous: nil,
      provenance: Manifest.Provenance(sources: digest, commit: nil, compiler: "tests"), unpinnedHosts: .allow,
      keys: [], keySets: [], certificates: [],
      hosts: [
        Manifest.HostEntry(
          host: try HostName(canonicalising: "example.com"), port: nil, includeSubdomains: false, mode: .off,
          keySet: nil,
          requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
      ]
    ).signedBytes()
  }

  /// A keyset with these roots, who are the signers too.
  static func keyset(roots: [TestSigner], threshold: Int = 1) throws -> [UInt8] {
    let issued = try #require(Instant(written: "2026-11-21"))
    let keys = roots.enumerated().map { index, root in
      Keyset.Key(name: "root-\(index)", subjectPublicKeyInfo: root.publicKey)
    }
    let role = Keyset.Role(keys: keys.map(\.name), threshold: threshold)
    return Keyset(
      audience: "test", version: 1, issued: issued, expires: issued, roots: role, signers: role, keys: keys
    ).signedBytes()
  }

  static let digest = SHA256Digest([UInt8](repeating: 7, count: 32)) ?? SHA256Digest(.init(repeating: 0))

  /// A document with signatures of these bytes and names.
  static func document(
    _ signed: [UInt8], _ signatures: [(keyID: String?, bytes: [UInt8])], as content: SignedContent = .manifest
  ) throws -> SignedDocument {
    let list = signatures.map { signature in
      let keyID = signature.keyID.map { #""keyid":"\#($0)","# } ?? ""
      return #"{\#(keyID)"sig":"\#(Base64.encode(signature.bytes))"}"#
    }
    return try DSSEEnvelope.read(
      Array(
        #"{"payload":"\#(Base64.encode(signed))","payloadType":"\#(content.mediaType)","signatures":[\#(list.joined(separator: ","))]}"#
          .utf8))
  }
}

/// The code of the refusal; nil where there is none, or an error of another kind.
func code<Result>(_ body: () throws -> Result) -> ExchangeError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? ExchangeError)?.code
  }
}
