#if Service
import enum Crypto.Curve25519
import struct Crypto.SHA256
import PinFormat
import Testing

/// An Ed25519 key that signs manifests or keysets.
struct SigningKey: Sendable {
  let name: String
  private let key = Curve25519.Signing.PrivateKey()

  init(_ name: String = "release") {
    self.name = name
  }

  /// SubjectPublicKeyInfo of an Ed25519 key (RFC 8410 section 4): a fixed beginning and the raw key.
  var publicKey: [UInt8] {
    [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + key.publicKey.rawRepresentation
  }

  func signature(over signed: [UInt8], as content: SignedContent) throws -> SignatureEnvelope.Signature {
    let bytes = try key.signature(for: SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content))
    let keyID = try #require(SHA256Digest(Array(SHA256.hash(data: publicKey))))
    return .init(keyID: keyID, bytes: Array(bytes))
  }
}

extension [SigningKey] {
  /// The file of some bytes that all of these signed.
  func sign(_ signed: [UInt8], as content: SignedContent = .manifest) throws -> [UInt8] {
    SignatureEnvelope.encode(signed: signed, signatures: try map { try $0.signature(over: signed, as: content) })
  }
}
#endif
