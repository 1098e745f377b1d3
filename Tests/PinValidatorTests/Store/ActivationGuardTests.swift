import Foundation
import OpenSSLKit
import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

/// A manifest that would refuse a chain that was allowed lately.
@Suite("The activation guard") struct ActivationGuardTests {
  private final class WallClock: Sendable {
    let seconds = Atomic<Int64>(0)
    var now: Instant { Instant(secondsSinceEpoch: seconds.load(ordering: .relaxed)) }
  }

  private let wall = WallClock()
  private let scene: StoreScene
  private let store: PinStore
  private let handshake: PeerHandshake
  private let pin: Pin
  private static let host = "allowed.test"

  init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transports")
      .path()
    let wall = wall
    wall.seconds.store(try instant("2026-12-20").secondsSinceEpoch, ordering: .relaxed)
    scene = try StoreScene {
      $0.anchors = try TrustAnchors([try readFile(fixtures + "/root.pem")])
      $0.clock = { wall.now }
      $0.activationGuard.maximumLossPercent = 100
    }
    store = try scene.open()
    let chain = try ServedChain(pem: try readFile(fixtures + "/\(Self.host)/chain.pem"))
    handshake = PeerHandshake(host: Self.host, port: 443, certificates: chain.certificates, tlsVersion: .tls13)
    pin = Pin(SHA256Digest(try Certificate(der: chain.certificates[0]).publicKeyDigest()))
    try store.update(release(1) { _ in })
    guard case .allow = store.evaluate(handshake).verdict else {
      Issue.record("the chain isn't allowed to begin with")
      return
    }
  }

  /// A release in which the key set `any` has the leaf's key, before it is changed.
  private func release(_ serial: Int64, _ change: (inout Manifest) throws -> Void) throws -> [UInt8] {
    try scene.release(serial) { manifest in
      manifest.hosts = [
        try Manifest.HostEntry(Self.host, keys: "any"), try Manifest.HostEntry("other.test", keys: "root"),
      ]
      manifest.keys[0].pin = pin
      manifest.expires = try instant("2027-06-01")
      try change(&manifest)
    }
  }

  private static let other: @Sendable (inout Manifest) throws -> Void = { $0.keys[0].pin = Pin(digest(77)) }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var outcome: String
    var change: @Sendable (inout Manifest) throws -> Void

    init(_ name: String, _ outcome: String, _ change: @escaping @Sendable (inout Manifest) throws -> Void) {
      testDescription = name
      self.outcome = outcome
      self.change = change
    }
  }

  static let rows = [
    Row("another key", "refuses-recent-chain", other),
    Row("another key, as was meant", "activated") {
      try other(&$0)
      $0.drasticChange = "all keys are new"
    },
    Row("another key, which only reports", "activated") {
      try other(&$0)
      $0.hosts[0].mode = .reportOnly
    },
    Row("a key above the leaf besides", "refuses-recent-chain") { $0.hosts[0].requirement = .leafAndCA },
    Row("another port", "activated") {
      try other(&$0)
      $0.hosts[0].port = 8443
    },
    Row("no entry, where hosts that aren't pinned are denied", "refuses-recent-chain") {
      $0.hosts.removeFirst()
      $0.unpinnedHosts = .deny
    },
    Row("no entry", "activated") { $0.hosts.removeFirst() },
    Row("an entry that has expired and blocks", "refuses-recent-chain") {
      $0.hosts[0].expires = try instant("2026-12-01")
      $0.hosts[0].onExpiry = .block
    },
    Row("entries that have expired, and pin nothing since", "empty") {
      for number in $0.hosts.indices {
        $0.hosts[number].expires = try instant("2026-12-20")
        $0.hosts[number].onExpiry = .unpinned
      }
    },
    Row("a name that the certificate hasn't", "refuses-recent-chain") {
      $0.hosts[0].trust = Manifest.Trust(serverName: try HostName(canonicalising: "nobody.test"))
    },
    // The stolen key was also used recently.
    Row("a denial of the key", "activated") {
      $0.keys[0].denied = "stolen"
    },
    Row("a denial of the key, with the backup in its place", "activated") {
      let stolen = $0.keys[0].name
      $0.keys[0].denied = "stolen"
      for number in $0.keySets.indices where $0.keySets[number].active == [stolen] {
        $0.keySets[number].active = ["root"]
      }
    },
  ]

  @Test("looks at what a new manifest would do to a chain that was allowed", arguments: rows)
  func replay(row: Row) throws {
    #expect(outcome(store, try release(2, row.change)) == row.outcome)
    #expect(store.standing == (row.outcome == "activated" ? [2, 2] : [1, 1]))
  }

  /// Somebody on the way could otherwise hold up what enforces the host.
  @Test("doesn't remember a mismatch that was only reported")
  func reportedMismatch() throws {
    let store = try scene.open { $0.directory = nil }
    try store.update(
      release(1) {
        try Self.other(&$0)
        $0.hosts[0].mode = .reportOnly
      })
    guard case .allow(.mismatchReported, _) = store.evaluate(handshake).verdict else {
      Issue.record("the mismatch isn't only reported to begin with")
      return
    }
    #expect(outcome(store, try release(2, Self.other)) == "activated")
  }

  /// The entry's own anchor let the chain through; without the entry nothing does.
  @Test("looks at the disposition where the transport's validation is replaced")
  func replaced() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transports")
    let pem = try readFile(fixtures.appending(path: "root.pem").path())
    let root = try #require(try ServedChain(pem: pem).certificates.first)
    let fingerprint = SHA256Digest(try Certificate(der: root).fingerprint)
    let store = try scene.open {
      $0.anchors = try TrustAnchors([try readFile(fixtures.appending(path: "client-ca.pem").path())])
      $0.directory = nil
    }
    try store.update(
      release(1) {
        $0.hosts[0].trust = Manifest.Trust(systemAnchors: false, anchors: [fingerprint])
        $0.certificates = [Manifest.Certificate(fingerprint: fingerprint, der: root)]
      })
    #expect(store.evaluate(handshake, transport: .replaced).disposition == .useCredential)
    #expect(outcome(store, try release(2) { $0.hosts.removeFirst() }) == "refuses-recent-chain")
    #expect(store.standing == [1, 1])
  }

  @Test("names the host, and says what stays in force")
  func message() throws {
    let error = #expect(throws: UpdateError.self) { try store.update(release(2, Self.other)) }
    #expect(error?.message.contains("allowed.test:443") == true)
    #expect(error?.message.hasSuffix("the earlier manifest stays in force") == true)
  }

  @Test("forgets a chain after its period, and with the process")
  func period() throws {
    wall.seconds.wrappingAdd(86_400, ordering: .relaxed)
    #expect(outcome(store, try release(2, Self.other)) == "refuses-recent-chain")
    #expect(outcome(try scene.open { $0.directory = nil }, try release(2, Self.other)) == "activated")
    wall.seconds.wrappingAdd(1, ordering: .relaxed)
    #expect(outcome(store, try release(2, Self.other)) == "activated")
  }

  @Test("counts from when a chain was last seen")
  func seenAgain() throws {
    wall.seconds.wrappingAdd(86_400, ordering: .relaxed)
    _ = store.evaluate(handshake)
    wall.seconds.wrappingAdd(86_400, ordering: .relaxed)
    #expect(outcome(store, try release(2, Self.other)) == "refuses-recent-chain")
  }

  @Test("doesn't reject a manifest for what the present one refuses by now")
  func expiredMeanwhile() throws {
    try store.update(
      release(2) {
        $0.onStale = .block; $0.expires = try instant("2026-12-20T06:00:00Z")
      })
    wall.seconds.wrappingAdd(40_000, ordering: .relaxed)
    #expect(outcome(store, try release(3, Self.other)) == "activated")
  }

  @Test("can be switched off")
  func off() throws {
    let store = try scene.open { $0.activationGuard.replaysRecentChains = false }
    _ = store.evaluate(handshake)
    #expect(outcome(store, try release(2, Self.other)) == "activated")
  }

  @Test("remembers 64 chains, the latest")
  func bounded() throws {
    for port in 1000..<1064 {
      var other = handshake
      other.port = UInt16(port)
      _ = store.evaluate(other)
    }
    // All ports except that of the first one are governed as before.
    #expect(
      outcome(
        store,
        try release(2) {
          try Self.other(&$0)
          $0.hosts[0].port = 443
        }) == "activated")
  }
}
