import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

/// What a store remembers of evaluations is never older than its manifest or keyset.
@Suite struct RememberedEvaluationTests {
  private static func entry(trust: Manifest.Trust? = nil) throws -> Manifest.HostEntry {
    try Manifest.HostEntry("moved.example.com", .reportOnly, trust: trust)
  }

  /// Asked about a name that is in the certificate only where `trust` says so.
  private static func handshake(_ scene: MemoryScene) -> PeerHandshake {
    var handshake = scene.handshake
    handshake.host = "moved.example.com"
    return handshake
  }

  @Test func `nothing is remembered beyond an update of the manifest or the keyset`() throws {
    let chain = try MemoryScene()
    let handshake = Self.handshake(chain)
    let scene = try KeysetScene()
    let store = try scene.open { $0.anchors = try TrustAnchors([chain[.root]]) }
    func release(_ serial: Int64, signedBy signers: [Int] = [0], accepting: Bool) throws -> [UInt8] {
      let name = try HostName(canonicalising: accepting ? "example.com" : "nobody.example.com")
      return try scene.release(serial, signedBy: signers) {
        $0.drasticChange = "a test"
        $0.hosts = [try Self.entry(trust: Manifest.Trust(serverName: name))]
      }
    }
    func evaluations() -> Int { store.validator?.memory.counts.evaluations ?? -1 }
    func isAccepted() -> Bool { store.evaluate(handshake).disposition == .useCredential }

    try store.update(release(1, accepting: true))
    #expect(isAccepted() && isAccepted() && evaluations() == 1)
    // In force already, so nothing changes.
    try store.update(release(1, accepting: true))
    #expect(isAccepted() && evaluations() == 1)
    try store.update(release(2, accepting: false))
    #expect(evaluations() == 0)
    #expect(!isAccepted() && evaluations() == 1)
    try store.update(release(3, accepting: true))
    #expect(evaluations() == 0)
    #expect(isAccepted() && isAccepted() && evaluations() == 1)
    try store.update(keyset: scene.keyset(2, signers: [0, 1]))
    #expect(evaluations() == 0)
    #expect(isAccepted() && isAccepted() && evaluations() == 1)
  }

  @Test func `two stores with different anchors share nothing`() throws {
    let chain = try MemoryScene()
    let scene = try StoreScene { $0.directory = nil }
    for (anchors, isTrusted) in [([chain[.root]], true), ([], false), ([chain[.root]], true)] {
      let store = try scene.open { $0.anchors = try TrustAnchors(anchors) }
      try store.update(scene.release(1) { $0.hosts = [try Manifest.HostEntry("example.com", .reportOnly)] })
      let decision = store.evaluate(chain.handshake)
      #expect((decision.disposition == .useCredential) == isTrusted)
    }
  }

  /// For event loops: no evaluation is made, and the observers get the decision like any other.
  @Test func `is decided at once after it was evaluated`() throws {
    let chain = try MemoryScene()
    let told = Told()
    let scene = try StoreScene { settings in
      settings.directory = nil
      settings.anchors = try TrustAnchors([chain[.root]])
      settings.observers = [{ _, _, _ in told.count.wrappingAdd(1, ordering: .relaxed) }]
    }
    let store = try scene.open()
    #expect(store.decideAtOnce(chain.handshake, transport: .replaced) == nil)
    try store.update(scene.release(1) { $0.hosts = [try Manifest.HostEntry("example.com", .reportOnly)] })
    func recalled(_ handshake: PeerHandshake, _ transport: TransportValidation = .replaced) -> Said? {
      store.decideAtOnce(handshake, transport: transport).map { Said($0) }
    }
    var unpinned = chain.handshake
    unpinned.host = "other.test"
    var client = unpinned
    client.peer = .client
    for handshake in [chain.handshake, unpinned, client] { #expect(recalled(handshake) == nil) }
    #expect(told.count.load(ordering: .relaxed) == 0 && store.validator?.memory.counts.evaluations == 0)
    let known = Said(store.evaluate(chain.handshake, transport: .replaced))
    #expect(recalled(chain.handshake) == known && recalled(chain.handshake, .stands) == known)
    #expect(told.count.load(ordering: .relaxed) == 3)
    // A transport that sees only the leaf decides by other rules.
    #expect(recalled(chain.handshake, .leafOnly) == nil)
    // If the transport validates by itself, nothing else is needed.
    #expect(recalled(unpinned, .stands)?.disposition == .performDefaultHandling)
    _ = store.evaluate(client, transport: .replaced)
    #expect(recalled(client) == nil)
    #expect(store.validator?.memory.counts.evaluations == 1)
  }

  /// For event loops as well: one leaf below authorities of a valid path is evaluated there, and nothing that takes longer.
  @Test func `is decided at once where only the leaf is new`() throws {
    let chain = try MemoryScene()
    let scene = try StoreScene { settings in
      settings.directory = nil
      settings.anchors = try TrustAnchors([chain[.root]])
    }
    let store = try scene.open()
    let named = Manifest.Trust(systemAnchors: false, anchors: [try chain.fingerprint(.root)])
    try store.update(
      scene.release(1) {
        $0.certificates = [Manifest.Certificate(fingerprint: named.anchors[0], der: chain[.root])]
        $0.hosts = [
          try Manifest.HostEntry("a.example.com", .reportOnly, trust: named),
          try Manifest.HostEntry("example.com", .reportOnly),
        ]
      })
    func handshake(_ certificates: [[UInt8]], host: String = "example.com") -> PeerHandshake {
      PeerHandshake(host: host, port: 443, certificates: certificates, tlsVersion: .tls13)
    }
    func atOnce(_ handshake: PeerHandshake) -> Said? {
      store.decideAtOnce(handshake, transport: .replaced).map { Said($0) }
    }
    let authority = chain[.authority]
    let leaves = try (80..<90).map { serial in try chain.otherLeaf { $0.serial = serial } }
    let longLeaf = try chain.otherLeaf { $0.names += (0..<1_200).map { "n\($0).example.com" } }
    #expect(longLeaf.count > 12 << 10)

    // The authority was never on a valid path.
    #expect(atOnce(handshake([leaves[0], authority])) == nil)
    #expect(store.evaluate(handshake([leaves[0], authority]), transport: .replaced).chain != nil)
    for certificates in [
      [leaves[1]], [longLeaf, authority], [leaves[1], authority, chain[.surplus]],
      [leaves[1], authority, chain[.root], authority],
    ] {
      #expect(atOnce(handshake(certificates)) == nil)
    }
    // The store of the anchors that this entry names isn't loaded yet.
    #expect(atOnce(handshake([leaves[1], authority], host: "a.example.com")) == nil)
    #expect(store.validator?.memory.counts.evaluations == 1)

    for certificates in [[leaves[2], authority], [leaves[3], authority, chain[.root]]] {
      let said = try #require(atOnce(handshake(certificates)))
      #expect(said.disposition == .useCredential && said.chain?.first == certificates[0])
    }
    #expect(store.validator?.memory.counts.evaluations == 3)
    let expired = try chain.otherLeaf { $0.fault = .expired }
    var changed = leaves[4]
    changed[changed.count - 1] ^= 1
    for (leaf, code) in [(expired, TrustFailure.Code.expired), (changed, .badSignature)] {
      let said = try #require(atOnce(handshake([leaf, authority])))
      #expect(said == Said(store.evaluate(handshake([leaf, authority]), transport: .replaced)))
      #expect(said.failures.first?.code == code)
    }
    _ = store.evaluate(handshake([leaves[5], authority], host: "a.example.com"), transport: .replaced)
    #expect(atOnce(handshake([leaves[6], authority], host: "a.example.com"))?.disposition == .useCredential)
  }

  private final class Told: Sendable {
    let count = Atomic<Int>(0)
  }
}
