#if NIOSSL
import OpenSSLKit
import PinFormat
import PinValidator

/// Signed manifests that pin the leaf of a chain for one host, and many others for hosts that nobody asks about.
struct Releases {
  private let host: HostName
  private let includesSubdomains: Bool
  private let count: Int
  private let pin: Pin
  private let key: [UInt8]
  private let publicKey: [UInt8]
  private let anchors: TrustAnchors

  /// Takes the leaf of a PEM chain, and the root.
  ///
  /// In place of a host whose first label has a `#`, the domain is pinned.
  init(host: String, count: Int, chain: [UInt8], root: [UInt8]) throws {
    guard let leaf = try Certificate.read(chain).first else { fail("the chain is empty") }
    includesSubdomains = host.contains("#")
    let pinned = includesSubdomains ? String(host.drop { $0 != "." }.dropFirst()) : host
    self.host = try HostName(canonicalising: pinned)
    self.count = count
    pin = Pin(SHA256Digest(try leaf.publicKeyDigest()))
    let key = try PrivateKey(generating: .ed25519)
    self.key = try key.pem()
    publicKey = try key.subjectPublicKeyInfo()
    anchors = try TrustAnchors([root])
  }

  /// A store with the first release in force; its clock is a minute further at each question where it doesn't remember.
  func store(remembers: Bool = true) throws -> PinStore {
    var settings = PinStoreSettings(
      signers: try TrustedSigners(publicKeys: [publicKey], threshold: 1), audience: "bench", withoutManifest: .block)
    settings.anchors = anchors
    settings.activationGuard.replaysRecentChains = false
    if !remembers {
      let ticks = Ticks()
      settings.clock = { SystemClock.now.adding(seconds: ticks.next() * (EvaluationMemory.lifetime + 1)) }
    }
    let store = PinStore(settings)
    try store.update(release(1))
    return store
  }

  /// A release that pins the host as the others do, under another serial.
  func release(_ serial: Int64) throws -> [UInt8] {
    let now = SystemClock.now
    // Sorted by name, as the format requires: this one comes first.
    var hosts = [entry(host, includesSubdomains)]
    for number in 0..<(count - 1) {
      hosts.append(entry(try HostName(canonicalising: "z\(1_000_000 + number).perf.test"), false))
    }
    let manifest = Manifest(
      audience: "bench", serial: serial, issued: now.adding(seconds: -60),
      refreshAfter: now.adding(seconds: 86_400_000),
      expires: now.adding(seconds: 86_400_001), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(sources: pin.digest, commit: nil, compiler: "measured-handshakes"),
      unpinnedHosts: .allow, keys: [Manifest.Key(name: "leaf", pin: pin, position: nil, denied: nil)],
      keySets: [Manifest.KeySet(name: "set", active: ["leaf"], backup: [])], certificates: [], hosts: hosts)
    let signed = manifest.signedBytes()
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: .manifest)
    let signature = SignatureEnvelope.Signature(
      keyID: SHA256Digest(try SHA256.digest(of: publicKey)), bytes: try PrivateKey(pem: key).sign(message))
    return SignatureEnvelope.encode(signed: signed, signatures: [signature])
  }

  private func entry(_ host: HostName, _ includesSubdomains: Bool) -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: host, port: nil, includeSubdomains: includesSubdomains, mode: .enforce, keySet: "set", requirement: .any,
      expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
  }
}
#endif
