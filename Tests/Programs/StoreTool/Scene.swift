import OpenSSLKit
import PinFormat
import PinValidator

/// A store over real chains, and manifests of which the ones with odd serials allow one chain and the others the other.
///
/// A third host is moved: it presents the second one's chain, which is for it where the entry's `trust` says so. That is where the
/// second one's pins match, so a test notices if an evaluation under another manifest is used for this one.
///
/// A manifest of serial N has N % 7 further entries before its own, and keys named after N, so that entry, key, serial and
/// verdict of a decision tell whether all came from the same manifest.
///
/// Of the two signers the keyset of version V names the one of number V % 2 only.
struct Scene {
  static let hosts = ["allowed.test", "leaf.test", "moved.test"]

  let store: PinStore
  let handshakes: [PeerHandshake]
  let instant: Instant
  private let root: SigningKey
  private let signers: [SigningKey]
  private let pins: [Pin]

  init(fixtures: String) throws {
    var chains = try Self.hosts.prefix(2).map { try ServedChain(pem: contents(fixtures + "/\($0)/chain.pem")) }
    pins = try chains.map { Pin(SHA256Digest(try Certificate(der: $0.certificates[0]).publicKeyDigest())) }
    chains.append(chains[1])
    handshakes = zip(Self.hosts, chains).map { host, chain in
      PeerHandshake(host: host, port: 443, certificates: chain.certificates, tlsVersion: .tls13)
    }
    root = try SigningKey()
    signers = [try SigningKey(), try SigningKey()]
    guard let instant = Instant(written: "2030-01-01") else { fail("no instant") }
    self.instant = instant
    let first = try Self.keyset(version: 1, root, signers, at: instant)
    var settings = PinStoreSettings(
      keyset: try TrustedKeyset.load(shipped: first, audience: "test"), withoutManifest: .block)
    settings.anchors = try TrustAnchors([contents(fixtures + "/root.pem")])
    settings.clock = { instant }
    store = PinStore(settings)
  }

  /// Whether a manifest allows what a host presents.
  static func allows(_ host: Int, serial: Int64) -> Bool { serial % 2 == Int64(min(host, 1)) }

  func keyset(version: Int64) throws -> [UInt8] { try Self.keyset(version: version, root, signers, at: instant) }

  private static func keyset(
    version: Int64, _ root: SigningKey, _ signers: [SigningKey], at instant: Instant
  ) throws -> [UInt8] {
    let keyset = Keyset(
      audience: "test", version: version, issued: instant, expires: instant.adding(seconds: 864_000),
      roots: Keyset.Role(keys: ["root"], threshold: 1), signers: Keyset.Role(keys: ["signer"], threshold: 1),
      keys: [
        Keyset.Key(name: "root", subjectPublicKeyInfo: root.publicKey),
        Keyset.Key(name: "signer", subjectPublicKeyInfo: signers[Int(version % 2)].publicKey),
      ])
    return try root.file(keyset.signedBytes(), as: .keyset)
  }

  /// What is wrong with a status; nil where its keyset, its manifest and what it says of the two belong together.
  func contradiction(_ status: PinStore.Status) -> String? {
    guard let manifest = status.manifest, let keyset = status.keyset else { return "no manifest, or no keyset" }
    let isEndorsed = manifest.signedBy.contains { keyset.signers.keyIDs.contains($0) }
    guard status.isEndorsed == isEndorsed else {
      return "keyset \(keyset.version) with serial \(manifest.serial): said to be endorsed: \(status.isEndorsed)"
    }
    return status.highestSerial == manifest.serial ? nil : "the floor of another one than serial \(manifest.serial)"
  }

  /// A release that the keyset of a version takes, and those next to it don't.
  func file(serial: Int64, keyset version: Int64 = 1) throws -> [UInt8] {
    var entries = try (0..<serial % 7).map { try entry("a\($0).test", keys: "set-0") }
    for number in 0..<2 { entries.append(try entry(Self.hosts[number], keys: "set-\(number)")) }
    let name = Self.allows(2, serial: serial) ? Self.hosts[1] : "nobody.test"
    entries.append(
      try entry(Self.hosts[2], keys: "set-1", Manifest.Trust(serverName: HostName(canonicalising: name))))
    let strange = Pin(SHA256Digest(try SHA256.digest(of: Array("nobody's".utf8))))
    let names = (0..<2).map { "key-\($0)-\(serial)" }
    let manifest = Manifest(
      audience: "test", serial: serial, issued: instant, refreshAfter: instant.adding(seconds: 86_400),
      expires: instant.adding(seconds: 864_000), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(sources: strange.digest, commit: nil, compiler: "store-tool"),
      unpinnedHosts: .allow,
      drasticChange: "the next one refuses what was allowed a moment ago, and has other entries",
      keys: (0..<2).map { number in
        Manifest.Key(
          name: names[number], pin: Self.allows(number, serial: serial) ? pins[number] : strange, position: nil,
          denied: nil)
      },
      keySets: (0..<2).map { Manifest.KeySet(name: "set-\($0)", active: [names[$0]], backup: []) },
      certificates: [], hosts: entries)
    return try signers[Int(version % 2)].file(manifest.signedBytes(), as: .manifest)
  }

  private func entry(
    _ host: String, keys: String, _ trust: Manifest.Trust? = nil
  ) throws -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: try HostName(canonicalising: host), port: nil, includeSubdomains: false, mode: .enforce, keySet: keys,
      requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: trust)
  }

  /// What is wrong with a decision; nil where all of it comes from one manifest.
  func contradiction(_ verdict: Verdict, by manifest: LoadedManifest, host: Int) -> String? {
    let serial = manifest.serial
    guard verdict.context.entry == Int(serial % 7) + host else { return "serial \(serial): the entry of another one" }
    guard manifest.entryLabel(Int(serial % 7) + host) == Self.hosts[host] else {
      return "serial \(serial): the entry has the label of another one"
    }
    switch verdict {
    case .allow(.matched(let match), _):
      guard Self.allows(host, serial: serial) else { return "serial \(serial): allowed what it blocks" }
      guard manifest.keyName(match.key) == "key-\(min(host, 1))-\(serial)" else {
        return "serial \(serial): the key of another one"
      }
    case .block(.untrusted(let failure), _) where host == 2 && failure.code == .nameMismatch:
      guard !Self.allows(host, serial: serial) else { return "serial \(serial): an evaluation of another one" }
    case .block(.mismatch(.noKey), _) where host < 2:
      guard !Self.allows(host, serial: serial) else { return "serial \(serial): blocked what it allows" }
    default: return "serial \(serial): \(manifest.describe(verdict))"
    }
    return nil
  }
}

/// A key that signs files.
struct SigningKey {
  let publicKey: [UInt8]
  private let privateKey: [UInt8]
  private let keyID: SHA256Digest

  init() throws {
    let key = try PrivateKey(generating: .ed25519)
    privateKey = try key.pem()
    publicKey = try key.subjectPublicKeyInfo()
    keyID = SHA256Digest(try SHA256.digest(of: publicKey))
  }

  func file(_ signed: [UInt8], as content: SignedContent) throws -> [UInt8] {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content)
    let signature = SignatureEnvelope.Signature(keyID: keyID, bytes: try PrivateKey(pem: privateKey).sign(message))
    return SignatureEnvelope.encode(signed: signed, signatures: [signature])
  }
}
