import OpenSSLKit
import PinFormat
import PinValidator
import Testing

/// A signing key of the tests, with what the validator knows of it.
struct TestSigner {
  let publicKey: [UInt8]
  let keyID: SHA256Digest
  private let privateKey: [UInt8]

  init(_ algorithm: SigningAlgorithm = .ed25519) throws {
    let key = try PrivateKey(generating: algorithm)
    privateKey = try key.pem()
    publicKey = try key.subjectPublicKeyInfo()
    keyID = try #require(SHA256Digest(try sha256(publicKey)))
  }

  func signature(of signed: [UInt8], as content: SignedContent = .manifest) throws -> SignatureEnvelope.Signature {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content)
    return SignatureEnvelope.Signature(keyID: keyID, bytes: try PrivateKey(pem: privateKey).sign(message))
  }
}

/// A whole file with the signatures of the given keys.
func file(_ manifest: Manifest, signedBy signers: [TestSigner]) throws -> [UInt8] {
  try file(manifest.signedBytes(), signedBy: signers)
}

func file(_ signed: [UInt8], signedBy signers: [TestSigner]) throws -> [UInt8] {
  SignatureEnvelope.encode(signed: signed, signatures: try signers.map { try $0.signature(of: signed) })
}

/// Signs and loads a manifest.
func loaded(_ manifest: Manifest) throws -> LoadedManifest {
  let signer = try TestSigner()
  return try LoadedManifest.load(
    file(manifest, signedBy: [signer]), signers: TrustedSigners(publicKeys: [signer.publicKey], threshold: 1),
    audience: manifest.audience)
}

func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
  let digest = try SHA256.digest(of: bytes)
  return digest.indices.map { digest[$0] }
}

/// The digest whose bytes all are the given one: one pin for each number.
func digest(_ number: UInt8) -> SHA256Digest {
  guard let digest = SHA256Digest([UInt8](repeating: number, count: 32)) else { preconditionFailure("32 bytes") }
  return digest
}

func instant(_ text: String) throws -> Instant { try #require(Instant(written: text)) }

/// A validated chain that is given by its pins; nil stands for a certificate that can't be read.
struct PinsOnly: PinnedChain {
  var digests: [SHA256Digest?]

  init(_ numbers: UInt8?...) {
    digests = numbers.map { $0.map(digest) }
  }

  var certificateCount: Int { digests.count }
  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? { digests[number] }
}

extension Manifest {
  /// Keys `leaf` (1), `middle` (2), `root` (3), `any` (4), `spare` (5) and the denied `lost` (9), their pins' bytes in
  /// brackets, and a set of each.
  static func sample(hosts: [HostEntry], denied: Bool = true) throws -> Manifest {
    var keys = [
      Key(name: "any", pin: Pin(digest(4)), position: nil, denied: nil),
      Key(name: "leaf", pin: Pin(digest(1)), position: .leaf, denied: nil),
      Key(name: "middle", pin: Pin(digest(2)), position: .intermediate, denied: nil),
      Key(name: "root", pin: Pin(digest(3)), position: .root, denied: nil),
      Key(name: "spare", pin: Pin(digest(5)), position: nil, denied: nil),
    ]
    if denied { keys.append(Key(name: "lost", pin: Pin(digest(9)), position: nil, denied: "found in a bucket")) }
    return Manifest(
      audience: "production", serial: 7, issued: try instant("2026-11-01"), refreshAfter: try instant("2026-12-01"),
      expires: try instant("2027-01-01"), onStale: .enforce, previous: nil,
      provenance: Provenance(sources: digest(0), commit: nil, compiler: "pintle test"), unpinnedHosts: .allow,
      keys: keys,
      keySets: [
        KeySet(name: "all", active: ["any", "leaf", "middle", "root"], backup: ["spare"]),
        KeySet(name: "any", active: ["any"], backup: []),
        KeySet(name: "leaf", active: ["leaf"], backup: []),
        KeySet(name: "middle", active: ["middle"], backup: []),
        KeySet(name: "root", active: ["root"], backup: ["spare"]),
      ],
      certificates: [], hosts: hosts)
  }
}

extension Manifest.HostEntry {
  /// An entry for the tests; what isn't given is as plain as can be.
  init(
    _ host: String, port: UInt16? = nil, subdomains: Bool = false, _ mode: Mode = .enforce, keys: String? = "all",
    require requirement: Requirement = .any, expires: String? = nil, onExpiry: ExpiryAction? = nil,
    reportURIs: [String] = [], trust: Manifest.Trust? = nil
  ) throws {
    self.init(
      host: try HostName(canonicalising: host), port: port, includeSubdomains: subdomains, mode: mode,
      keySet: mode == .off ? nil : keys, requirement: requirement, expires: try expires.map { try instant($0) },
      onExpiry: onExpiry, reportURIs: reportURIs, trust: trust)
  }
}
