import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import TestSupport
import Testing

@testable import PinStudies

/// Certificates of `api.example.com`, and releases that pin its keys.
struct DeployScene {
  let maker: Maker
  private let rehearsal: Rehearsal

  init() throws {
    maker = try Maker()
    rehearsal = try Rehearsal()
  }

  static let host = "api.example.com"

  static func instant(_ date: String) throws -> Instant { try #require(Instant(written: date)) }

  /// A leaf by the intermediate, or by the other one; another name has another key.
  func leaf(
    _ name: String, _ begin: String = "2026-11-01", _ end: String = "2027-02-01", isOther: Bool = false,
    key: CertificateProfile.Key = .p256
  ) throws -> TestCertificate {
    try maker.leaf(
      "deploy \(name) \(begin) \(end) \(isOther)", by: isOther ? maker.otherIntermediate : nil
    ) {
      $0.alternativeNames = ["DNS:\(Self.host)"]
      ($0.notBefore, $0.notAfter, $0.key) = (begin, end, key)
    }
  }

  /// What a server sends with it.
  func chain(_ leaf: TestCertificate, isOther: Bool = false) throws -> [[UInt8]] {
    [leaf.der, try (isOther ? maker.otherIntermediate : maker.intermediate).der]
  }

  func pin(_ certificate: TestCertificate) throws -> Pin {
    Pin(SHA256Digest(try Certificate(der: certificate.der).publicKeyDigest()))
  }

  /// A manifest with one entry, which accepts some keys, the last of them as a backup.
  func manifest(_ serial: Int64, _ date: String, _ keys: [String: Pin], active: [String], backup: [String]) throws
    -> Manifest
  {
    let issued = try Self.instant(date)
    return Manifest(
      audience: "test", serial: serial, issued: issued, refreshAfter: issued.adding(seconds: 86_400),
      expires: issued.adding(seconds: 30 * 86_400), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(
        sources: SHA256Digest(try SHA256.digest(of: [])), commit: nil, compiler: "test"),
      unpinnedHosts: .allow,
      keys: keys.sorted { $0.key < $1.key }.map { Manifest.Key(name: $0, pin: $1, position: nil, denied: nil) },
      keySets: [Manifest.KeySet(name: "web", active: active.sorted(), backup: backup.sorted())], certificates: [],
      hosts: [
        Manifest.HostEntry(
          host: try HostName(canonicalising: Self.host), port: nil, includeSubdomains: false, mode: .enforce,
          keySet: "web", requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
      ])
  }

  func release(_ manifest: Manifest) throws -> ReleasedManifest {
    let loaded = try rehearsal.load(manifest)
    return ReleasedManifest(
      name: "serial \(manifest.serial)", serial: manifest.serial, issued: manifest.issued,
      digest: try loaded.signedDigest(), loaded: loaded)
  }

  /// The certificate of the root or of the other one, as an entry's only anchor.
  func anchored(_ manifest: Manifest, at root: TestCertificate) throws -> Manifest {
    var manifest = manifest
    let fingerprint = SHA256Digest(try Certificate(der: root.der).fingerprint)
    manifest.certificates = [Manifest.Certificate(fingerprint: fingerprint, der: root.der)]
    var trust = Manifest.Trust()
    (trust.systemAnchors, trust.anchors) = (false, [fingerprint])
    manifest.hosts[0].trust = trust
    return manifest
  }

  func question(
    _ chain: [[UInt8]], _ releases: [ReleasedManifest], at date: String = "2026-11-21", window: Int64 = 90,
    _ change: (inout DeployQuestion) throws -> Void = { _ in }
  ) throws -> DeployQuestion {
    var question = DeployQuestion(
      host: Self.host, port: 443, label: Self.host + ":443", chain: chain, audiences: [("test", releases)],
      window: window * 86_400, anchors: try TrustAnchors([maker.root.pem]), at: try Self.instant(date))
    try change(&question)
    return question
  }
}
