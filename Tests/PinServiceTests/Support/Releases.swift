#if Service
import struct Crypto.SHA256
import NIOConcurrencyHelpers
import PinFormat
import PinValidator
import Testing

/// Signs manifests as a release does.
struct Releases: Sendable {
  static let audience = "test"
  var key = SigningKey()
  var publicKey: [UInt8] { key.publicKey }

  func settings(_ clock: @escaping @Sendable () -> Instant = { start }) throws -> PinStoreSettings {
    var settings = PinStoreSettings(
      signers: try TrustedSigners(publicKeys: [publicKey], threshold: 1), audience: Self.audience,
      withoutManifest: .block)
    settings.clock = clock
    return settings
  }

  /// A manifest file of one pinned host, issued at `start`, due after a day and stale after thirty.
  func file(
    serial: Int64, audience: String = audience, refreshAfter: Int64 = 86_400, expires: Int64 = 30 * 86_400,
    hosts: [String] = ["pinned.test"], pin: SHA256Digest? = nil, position: ChainPosition? = nil, mode: Mode = .enforce,
    reportURIs: [String] = [],
    anchors: [[UInt8]] = [], minimumTLS: PinFormat.TLSVersion? = nil, denied: String? = nil,
    by keys: [SigningKey]? = nil
  ) throws -> [UInt8] {
    let active = Manifest.Key(
      name: "active", pin: Pin(try pin ?? #require(SHA256Digest([UInt8](repeating: 1, count: 32)))), position: position,
      denied: nil)
    let backup = Manifest.Key(
      name: "backup", pin: Pin(try #require(SHA256Digest([UInt8](repeating: 2, count: 32)))), position: position,
      denied: nil
    )
    let lost = try denied.map { name in
      Manifest.Key(
        name: name, pin: Pin(try #require(SHA256Digest([UInt8](repeating: 4, count: 32)))), position: nil,
        denied: "lost")
    }
    let certificates = try anchors.map { der in
      Manifest.Certificate(fingerprint: try #require(SHA256Digest(Array(SHA256.hash(data: der)))), der: der)
    }
    let trust =
      certificates.isEmpty && minimumTLS == nil
      ? nil
      : Manifest.Trust(
        systemAnchors: certificates.isEmpty, anchors: certificates.map { $0.fingerprint }, minimumTLS: minimumTLS)
    let manifest = Manifest(
      audience: audience, serial: serial, issued: start, refreshAfter: start.adding(seconds: refreshAfter),
      expires: start.adding(seconds: expires), onStale: .enforce, previous: nil,
      provenance: .init(
        sources: try #require(SHA256Digest([UInt8](repeating: 3, count: 32))), commit: nil, compiler: "test"),
      unpinnedHosts: .allow, keys: [active, backup] + (lost.map { [$0] } ?? []),
      keySets: [.init(name: "set", active: ["active"], backup: ["backup"])], certificates: certificates,
      hosts: try hosts.map { host in
        Manifest.HostEntry(
          host: try HostName(canonicalising: host), port: nil, includeSubdomains: false, mode: mode, keySet: "set",
          requirement: .any, expires: nil, onExpiry: nil, reportURIs: reportURIs, trust: trust)
      })
    return try (keys ?? [key]).sign(manifest.signedBytes())
  }
}

/// When the tests' manifests are issued: 2026-11-21T00:00:00Z.
let start = Instant(secondsSinceEpoch: 1_795_219_200)

/// The wall clock of a test.
final class WallClock: Sendable {
  private let seconds = NIOLockedValueBox<Int64>(0)
  var now: Instant { start.adding(seconds: seconds.withLockedValue { $0 }) }
  func advance(seconds more: Int64) { seconds.withLockedValue { $0 += more } }
}
#endif
