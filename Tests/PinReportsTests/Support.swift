import Foundation
import Glibc
import OpenSSLKit
import PinFormat
import PinReports
import PinValidator
import TestSupport
import Testing

/// Where the tests' inputs and expected outputs are.
let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("Fixtures").path

func fixture(_ name: String) throws -> [UInt8] { try readFile(fixtures + "/" + name) }

func instant(_ text: String) throws -> Instant { try #require(Instant(written: text)) }

/// The digest whose bytes all are the given one.
func digest(_ number: UInt8) -> SHA256Digest {
  guard let digest = SHA256Digest([UInt8](repeating: number, count: 32)) else { preconditionFailure("32 bytes") }
  return digest
}

/// Real chains, and manifests that judge them.
struct Bench {
  static let noon = "2026-12-05T12:00:00Z"

  let leaf: [UInt8]
  let other: [UInt8]
  let intermediate: [UInt8]
  let root: [UInt8]
  let anchors: TrustAnchors

  init() throws {
    func certificate(_ name: String) throws -> [UInt8] {
      try der(ofPEM: fixture("mismatch-reports/chain/" + name + ".pem"))
    }
    leaf = try certificate("leaf")
    other = try certificate("other")
    intermediate = try certificate("intermediate")
    root = try certificate("root")
    anchors = try TrustAnchors([root])
  }

  /// A host entry; keys: `spare` matches nothing, `issuing` the intermediate.
  static func entry(
    _ host: String, port: UInt16? = nil, subdomains: Bool = false, _ mode: Mode = .enforce, keys: String = "spares",
    expires: String? = nil, onExpiry: ExpiryAction? = nil, to uris: [String] = ["https://pins.example.org/reports"]
  ) throws -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: try HostName(canonicalising: host), port: port, includeSubdomains: subdomains, mode: mode,
      keySet: mode == .off ? nil : keys, requirement: .any, expires: try expires.map { try instant($0) },
      onExpiry: onExpiry, reportURIs: mode == .off ? [] : uris, trust: nil)
  }

  /// Signs and loads a manifest with these entries.
  func manifest(_ hosts: [Manifest.HostEntry], serial: Int64 = 7, denied: [UInt8]? = nil) throws -> LoadedManifest {
    let issuing = try SHA256Digest(Certificate(der: intermediate).publicKeyDigest())
    var keys = [
      Manifest.Key(name: "issuing", pin: Pin(issuing), position: nil, denied: nil),
      Manifest.Key(name: "spare", pin: Pin(digest(1)), position: nil, denied: nil),
      Manifest.Key(name: "spare-2", pin: Pin(digest(2)), position: nil, denied: nil),
    ]
    if let denied {
      let pin = try SHA256Digest(Certificate(der: denied).publicKeyDigest())
      keys.append(Manifest.Key(name: "lost", pin: Pin(pin), position: nil, denied: "found in a bucket"))
      keys.sort { $0.name < $1.name }
    }
    let manifest = Manifest(
      audience: "production", serial: serial, issued: try instant("2026-12-01"),
      refreshAfter: try instant("2026-12-20"), expires: try instant("2027-01-01"), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(sources: digest(0), commit: nil, compiler: "pintle test"),
      unpinnedHosts: .allow, keys: keys,
      keySets: [
        Manifest.KeySet(name: "issued", active: ["issuing"], backup: ["spare"]),
        Manifest.KeySet(name: "rotated", active: ["spare"], backup: ["issuing"]),
        Manifest.KeySet(name: "spares", active: ["spare"], backup: ["spare-2"]),
      ],
      certificates: [], hosts: hosts)
    let key = try PrivateKey(generating: .ed25519)
    let publicKey = try key.subjectPublicKeyInfo()
    let signed = manifest.signedBytes()
    let identifier = SHA256Digest(try SHA256.digest(of: publicKey))
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed)
    let signature = SignatureEnvelope.Signature(keyID: identifier, bytes: try key.sign(message))
    return try LoadedManifest.load(
      SignatureEnvelope.encode(signed: signed, signatures: [signature]),
      signers: TrustedSigners(publicKeys: [publicKey], threshold: 1), audience: "production")
  }

  /// What a handshake shows, and its result.
  func judge(
    _ host: String, port: UInt16 = 443, _ manifest: LoadedManifest, at text: String = noon,
    serves chain: [[UInt8]]? = nil,
    transport: TransportValidation = .stands
  ) throws -> (handshake: PeerHandshake, decision: Decision, at: Instant) {
    let handshake = PeerHandshake(
      host: host, port: port, certificates: chain ?? [leaf, intermediate], tlsVersion: .tls13)
    let time = try instant(text)
    let decision = Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: anchors))
      .evaluate(handshake, at: time, transport: transport)
    return (handshake, decision, time)
  }
}

extension ReportRecorder {
  /// Records what a bench judged.
  func record(_ judged: (handshake: PeerHandshake, decision: Decision, at: Instant), times: Int = 1) {
    for _ in 0..<times { record(judged.handshake, judged.decision, at: judged.at) }
  }
}

extension ReportSettings {
  /// Settings of a service in a folder, with the same random numbers each time.
  static func test(_ directory: TemporaryDirectory, _ change: (inout ReportSettings) -> Void = { _ in })
    -> ReportSettings
  {
    var settings = ReportSettings(
      directory: directory.path, service: ReportingService(name: "payments-api", version: "2.4.0"))
    settings.random = { 0 }
    change(&settings)
    return settings
  }
}

extension ReportQueue {
  /// Everything that may be sent at a time, each delivered.
  func deliverAll(at now: Instant) -> [Delivery] {
    var deliveries: [Delivery] = []
    while let delivery = nextDelivery(at: now) {
      deliveries.append(delivery)
      finished(delivery.id, .delivered, at: now)
    }
    return deliveries
  }
}

/// Compares with a file of the fixtures; with PINTLE_UPDATE_FIXTURES set, writes it.
func expect(_ bytes: [UInt8], matches name: String, _ location: SourceLocation = #_sourceLocation) throws {
  if ProcessInfo.processInfo.environment["PINTLE_UPDATE_FIXTURES"] != nil {
    try Data(bytes).write(to: URL(fileURLWithPath: fixtures + "/" + name))
  }
  let expected = try fixture(name)
  #expect(
    String(decoding: bytes, as: UTF8.self) == String(decoding: expected, as: UTF8.self), sourceLocation: location)
}

/// Leaves a folder of reports no room: a sparse file has more bytes than all files may have.
func fillUp(_ directory: TemporaryDirectory) throws {
  let path = try directory.write([], to: "filler")
  #expect(truncate(path, 1 << 40) == 0)
}
