import Foundation
import PinFormat
import PinValidator
import Testing

/// Certificates, signers and manifests that vectors refer to by name.
struct Inputs: Sendable {
  private let certificates: [String: [UInt8]]
  private let signers: [String: [UInt8]]
  private let signerNames: [String: String]
  private var contents: Contents

  init() throws {
    var file = try Fields(file: "certificates.json")
    #expect(try file.integer("format") == 1)
    var certificates: [String: [UInt8]] = [:]
    for (name, value) in try file.fields("certificates").remaining {
      var fields = try Fields(value)
      certificates[name] = try fields.base64("der")
      _ = try fields.text("sha256")
      try fields.finish()
    }
    try file.finish()
    self.certificates = certificates

    file = try Fields(file: "signers.json")
    #expect(try file.integer("format") == 1)
    var signers: [String: [UInt8]] = [:]
    var names: [String: String] = [:]
    var keys = try file.fields("signers")
    for name in keys.remaining.keys {
      let key = try keys.base64(name)
      signers[name] = key
      if let signer = try? TrustedSigners(publicKeys: [key], threshold: 1) { names[signer.keyIDs[0].hex] = name }
    }
    try file.finish()
    self.signers = signers
    signerNames = names

    file = try Fields(file: "shared.json")
    #expect(try file.integer("format") == 1)
    contents = try Contents(&file)
    try file.finish()
  }

  /// With the manifests and keysets of a theme.
  func adding(_ theme: Contents) -> Inputs {
    var inputs = self
    inputs.contents.add(theme)
    return inputs
  }

  func certificate(_ name: String) throws -> [UInt8] {
    try #require(certificates[name], "there is no certificate \(name)")
  }

  func signer(_ name: String) throws -> [UInt8] {
    try #require(signers[name], "there is no signer \(name)")
  }

  /// The name of a signer whose key has this identity.
  func name(ofSigner keyID: SHA256Digest) throws -> String {
    try #require(signerNames[keyID.hex])
  }

  func manifest(_ name: String) throws -> [UInt8] {
    try #require(contents.manifests[name], "there is no manifest \(name)")
  }

  func keyset(_ name: String) throws -> [UInt8] {
    try #require(contents.keysets[name], "there is no keyset \(name)")
  }

  #if !CryptoKit
  /// The anchors that stand for the system's.
  func anchors(_ names: [String]) throws -> TrustAnchors {
    try TrustAnchors(try names.map(certificate))
  }
  #endif

  func handshake(_ value: Fields) throws -> PeerHandshake {
    var fields = value
    let peers: [String: PeerHandshake.Peer] = ["server": .server, "client": .client]
    let peer = try fields.text("peer")
    let handshake = PeerHandshake(
      peer: try #require(peers[peer], "\(peer) is no peer"), host: try fields.text("host"),
      port: try #require(UInt16(exactly: fields.integer("port"))),
      certificates: try fields.texts("certificates").map(certificate),
      tlsVersion: try fields.optionalText("tlsVersion").map { try #require(TLSVersion(rawValue: $0)) })
    try fields.finish()
    return handshake
  }

  func transport(_ name: String) throws -> TransportValidation {
    let transports: [String: TransportValidation] = ["stands": .stands, "replaced": .replaced]
    return try #require(transports[name], "\(name) is no transport")
  }
}

/// Whose manifests a client takes, and for which environment.
struct Client {
  private enum Trust {
    case signers([[UInt8]], threshold: Int)
    case keyset([UInt8])
  }

  private let trust: Trust
  let audience: String

  init(_ value: Fields, _ inputs: Inputs) throws {
    var fields = value
    if fields.has("keyset") {
      trust = .keyset(try inputs.keyset(fields.text("keyset")))
    } else {
      trust = .signers(
        try fields.texts("signers").map(inputs.signer), threshold: try fields.integer("threshold"))
    }
    audience = try fields.text("audience")
    try fields.finish()
  }

  /// The keyset that is shipped with the client; nil where its signers are fixed.
  func keyset() throws(KeysetError) -> TrustedKeyset? {
    guard case .keyset(let bytes) = trust else { return nil }
    return try TrustedKeyset.load(shipped: bytes, audience: audience)
  }

  /// Whose signatures count, or the code of what is wrong with them.
  func signers() throws(Refusal) -> TrustedSigners {
    switch trust {
    case .signers(let publicKeys, let threshold):
      do {
        return try TrustedSigners(publicKeys: publicKeys, threshold: threshold)
      } catch {
        throw Refusal(code: error.code.description)
      }
    case .keyset(let bytes):
      do {
        return try TrustedKeyset.load(shipped: bytes, audience: audience).signers
      } catch {
        throw Refusal(code: error.code.description)
      }
    }
  }
}

/// Why a client or its manifest is refused.
struct Refusal: Error {
  let code: String
}
