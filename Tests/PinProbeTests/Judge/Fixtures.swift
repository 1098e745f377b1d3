import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator
import TestSupport
import Testing

/// The certificates of this target's tests.
let archive: Result<Archive, any Error> = Result { try Archive() }

func maker() throws -> Maker { Maker(try archive.get()) }

func instant(_ text: String) throws -> Instant { try #require(Instant(written: text)) }

/// A policy, the trust stores and what a server was seen to serve: all that a judgement needs.
struct Scene: Sendable {
  var host = "example.com"
  /// What each offer brought, in the order of the offers: chains, or a failure.
  var answers: [Answer]
  var stores: [(name: String, anchors: [TestCertificate])]
  /// The pinned keys; nil for no policy at all, none for one whose entries don't pin the host.
  var pinned: [TestCertificate]? = []
  var backup: [TestCertificate] = []
  var denied: [TestCertificate] = []
  var mode = Mode.enforce
  var trust: Manifest.Trust?
  /// The certificates that the manifest carries.
  var carried: [TestCertificate] = []
  var at = "2026-06-01"

  enum Answer: Sendable {
    case chain([TestCertificate], staple: [UInt8]? = nil)
    case bytes([[UInt8]])
    case failure(ConnectionFailure, alert: UInt8? = nil)
  }

  init(_ served: [TestCertificate], stores: [TestCertificate]...) {
    answers = [.chain(served)]
    self.stores = stores.enumerated().map { ("store-\($0.offset)", $0.element) }
  }

  func with(_ change: (inout Scene) throws -> Void) rethrows -> Scene {
    var copy = self
    try change(&copy)
    return copy
  }
}

extension Scene {
  /// What was observed, without trust stores.
  func evidence() throws -> Evidence {
    var certificates: [SHA256Digest: [UInt8]] = [:]
    let observed = try instant("2026-05-31T12:00:00Z")
    let visits = try zip(Evidence.Offer.all, answers).map { offer, answer in
      switch answer {
      case .failure(let kind, let alert):
        return Evidence.Visit(
          offer: offer, observed: observed, attempts: 1, served: nil,
          failure: Evidence.Failure(kind, alert: alert, "no"))
      case .chain(let chain, let staple):
        return try visit(offer, observed, chain.map(\.der), staple, &certificates)
      case .bytes(let chain):
        return try visit(offer, observed, chain, nil, &certificates)
      }
    }
    return Evidence(
      begun: observed, ended: observed, tool: "test",
      certificates: certificates.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
        .sorted { $0.fingerprint < $1.fingerprint },
      targets: [
        Evidence.Target(
          host: try HostName(canonicalising: host), port: 443,
          addresses: [Evidence.Address(address: "127.0.0.1", port: 443, visits: visits)])
      ])
  }

  private func visit(
    _ offer: Evidence.Offer, _ observed: Instant, _ chain: [[UInt8]], _ staple: [UInt8]?,
    _ certificates: inout [SHA256Digest: [UInt8]]
  ) throws -> Evidence.Visit {
    let fingerprints = try chain.map { try fingerprint(of: $0) }
    for (fingerprint, der) in zip(fingerprints, chain) { certificates[fingerprint] = der }
    let served = Evidence.Served(chain: fingerprints, staple: staple)
    return Evidence.Visit(offer: offer, observed: observed, attempts: 1, served: served, failure: nil)
  }

  func namedStores() throws -> [NamedStore] {
    try stores.map { NamedStore(name: $0.name, anchors: try TrustAnchors(store: $0.anchors.map(\.der))) }
  }

  func manifest() throws -> LoadedManifest? {
    guard let pinned else { return nil }
    var keys: [Manifest.Key] = []
    func names(_ prefix: String, _ certificates: [TestCertificate], denied: String? = nil) throws -> [String] {
      try certificates.enumerated().map { number, certificate in
        let pin = Pin(SHA256Digest(try Certificate(der: certificate.der).publicKeyDigest()))
        keys.append(Manifest.Key(name: "\(prefix)-\(number)", pin: pin, position: nil, denied: denied))
        return "\(prefix)-\(number)"
      }
    }
    let set = Manifest.KeySet(
      name: "set", active: try names("active", pinned.isEmpty ? [maker().root] : pinned),
      backup: try names("backup", backup))
    _ = try names("denied", denied, denied: "lost")
    let isOff = mode == .off
    let entry = Manifest.HostEntry(
      host: try HostName(canonicalising: pinned.isEmpty ? "elsewhere.test" : host), port: nil,
      includeSubdomains: false, mode: mode, keySet: isOff ? nil : "set", requirement: .any, expires: nil,
      onExpiry: nil, reportURIs: [], trust: isOff ? nil : trust)
    return try loaded(
      Manifest(
        audience: "test", serial: 1, issued: try instant(at), refreshAfter: try instant(at).adding(seconds: 86_400),
        expires: try instant(at).adding(seconds: 864_000), onStale: .enforce, previous: nil,
        provenance: Manifest.Provenance(sources: try fingerprint(of: []), commit: nil, compiler: "test"),
        unpinnedHosts: .allow, keys: keys.sorted { $0.name < $1.name }, keySets: isOff ? [] : [set],
        certificates: try carried.map { Manifest.Certificate(fingerprint: try $0.fingerprint, der: $0.der) }
          .sorted { $0.fingerprint < $1.fingerprint },
        hosts: [entry]))
  }

  /// Judges under the trust stores.
  func assessment() throws -> Assessment {
    try Judge(manifest: try manifest(), stores: try namedStores()).assess(evidence(), at: try instant(at))
  }

  /// The report on what the first offer brought.
  func report() throws -> ServedReport {
    try #require(try assessment().targets.first?.visits.first?.served)
  }
}

func loaded(_ manifest: Manifest) throws -> LoadedManifest {
  let signer = try Signer(pem: try PrivateKey(generating: .ed25519).pem())
  let signed = try SignedManifest.sign(manifest, with: [signer])
  return try LoadedManifest.load(
    signed.bytes, signers: TrustedSigners(publicKeys: signer.keys.map(\.publicKey), threshold: 1),
    audience: manifest.audience)
}

func fingerprint(of bytes: [UInt8]) throws -> SHA256Digest { SHA256Digest(try SHA256.digest(of: bytes)) }

extension TestCertificate {
  var fingerprint: SHA256Digest {
    get throws { try PinProbeTests.fingerprint(of: der) }
  }
}

extension PathJudgement {
  /// `allow`, `block`, `not pinned` or `-`.
  var word: String {
    switch verdict {
    case .allow: "allow"
    case .block: "block"
    case .notPinned: "not pinned"
    case nil: "-"
    }
  }
}
