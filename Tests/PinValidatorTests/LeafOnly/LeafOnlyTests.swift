import PinFormat
import PinValidator
import TestSupport
import Testing

/// What is decided where a transport validates itself and shows the leaf alone.
@Suite struct LeafOnlyTests {
  /// A manifest that pins one host by one key, what is served, and the result.
  struct Scene: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: String
    var position: ChainPosition? = .leaf
    var deniedAt: ChainPosition??
    var mode = Mode.enforce
    var requirement = Requirement.any
    var trust: @Sendable (Maker) throws -> Manifest.Trust? = { _ in nil }
    var served: @Sendable (Maker) throws -> [TestCertificate] = { [try $0.leaf] }
    var pinned: @Sendable (Maker) throws -> TestCertificate = { try $0.leaf }

    init(_ name: String, _ expected: String, _ change: (inout Scene) -> Void = { _ in }) {
      testDescription = name
      self.expected = expected
      change(&self)
    }
  }

  @Test(arguments: [
    Scene("the pinned leaf", "allow"),
    Scene("another leaf", "block mismatch") { $0.served = { [try $0.leaf("other", by: try $0.otherIntermediate)] } },
    Scene("another leaf, reported only", "allow") {
      $0.mode = .reportOnly
      $0.served = { [try $0.leaf("other", by: try $0.otherIntermediate)] }
    },
    Scene("an expired leaf", "block expired") { $0.served = { [try $0.leaf("old") { $0.notAfter = "2026-01-01" }] } },
    Scene("a leaf for another name", "block name-mismatch") {
      $0.served = { [try $0.leaf("elsewhere") { $0.extensions = ["subjectAltName = DNS:example.org"] }] }
    },
    Scene("a weak leaf", "block weak-key") { $0.served = { [try $0.leaf("weak") { $0.key = .rsa(bits: 1_024) }] } },
    Scene("a leaf with a compressed point", "block key-encoding") {
      $0.served = { [try $0.leaf("compressed") { $0.key = .p256Point("compressed") }] }
    },
    Scene("no certificate", "block unusable-chain") { $0.served = { _ in [] } },
    Scene("a denied leaf", "block denied") { $0.deniedAt = .some(.leaf) },
    Scene("a denied leaf that is denied anywhere", "block denied") { $0.deniedAt = .some(nil) },
    Scene("a denied leaf that is said to be a root", "block denied") { $0.deniedAt = .some(.root) },
    Scene("a key anywhere", "block other") { $0.position = nil },
    Scene("an authority's key", "block other") {
      $0.position = .intermediate
      $0.pinned = { try $0.intermediate }
    },
    Scene("an authority's key, the intermediate being known", "allow") {
      $0.position = .intermediate
      $0.pinned = { try $0.intermediate }
      $0.served = { [try $0.leaf, try $0.intermediate] }
    },
    Scene("another authority's key, the intermediate being known", "block mismatch") {
      $0.position = .intermediate
      $0.pinned = { try $0.otherIntermediate }
      $0.served = { [try $0.leaf, try $0.intermediate] }
    },
    Scene("the pinned intermediate known, the leaf by another", "block mismatch") {
      $0.position = .intermediate
      $0.pinned = { try $0.intermediate }
      $0.served = {
        [try $0.leaf("other", by: try $0.otherIntermediate), try $0.otherIntermediate, try $0.intermediate]
      }
    },
    Scene("both asked for", "block other") { $0.requirement = .leafAndCA },
    Scene("a server name of the policy's", "block other") {
      $0.trust = { _ in Manifest.Trust(serverName: try HostName(canonicalising: "example.org")) }
      $0.served = { [try $0.leaf, try $0.intermediate] }
    },
    Scene("stronger keys asked for", "block other") { $0.trust = { _ in Manifest.Trust(minimumECBits: 300) } },
    Scene("a TLS version that is met", "allow") { $0.trust = { _ in Manifest.Trust(minimumTLS: .tls13) } },
  ])
  func decides(_ scene: Scene) throws {
    let make = try Maker()
    let manifest = try loaded(try manifest(scene, make))
    let anchors = try TrustAnchors([try make.root.pem, try make.otherRoot.pem])
    let validator = Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: anchors))
    let served = try scene.served(make)
    let decision = validator.evaluate(
      PeerHandshake(host: "example.com", port: 443, certificates: served.map(\.der), tlsVersion: .tls13),
      at: try instant("2026-11-15"), transport: .leafOnly)
    #expect(Self.text(decision.verdict) == scene.expected)
    // The same entries are blocked without a path, and make a configuration invalid.
    let knowledge: LeafOnlyKnowledge = served.count > 1 ? .intermediates : .leaf
    let limits = manifest.limits(ofLeafOnly: knowledge)
    #expect(limits.isEmpty == (scene.expected != "block other"))
    #expect(limits.allSatisfy { $0.entry == "example.com" && $0.description.hasPrefix("example.com can't") })
    #expect(manifest.limit(ofLeafOnly: knowledge, host: "EXAMPLE.com", port: 443) == limits.first)
    #expect(manifest.limit(ofLeafOnly: knowledge, host: "example.org", port: 443) == nil)
  }

  /// A key that is denied, what the transport knows of the path, and the result.
  struct Denial: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The verdict, and `unseen` where it is counted that the denial could not be looked for above the leaf.
    let expected: String
    var position: ChainPosition?
    var transport = TransportValidation.leafOnly
    var requirement = Requirement.any
    var served: @Sendable (Maker) throws -> [TestCertificate] = { [try $0.leaf] }

    init(_ name: String, _ expected: String, _ change: (inout Denial) -> Void = { _ in }) {
      testDescription = name
      self.expected = expected
      change(&self)
    }
  }

  /// The host is pinned by its leaf, and the intermediate that issued it is denied.
  @Test(arguments: [
    Denial("the leaf alone", "allow unseen"),
    Denial("the leaf alone, the key being said to be an intermediate", "allow unseen") { $0.position = .intermediate },
    Denial("the leaf alone, the key being said to be a leaf's", "allow") { $0.position = .leaf },
    Denial("another leaf", "block mismatch unseen") {
      $0.served = { [try $0.leaf("other", by: try $0.otherIntermediate)] }
    },
    Denial("an expired leaf", "block expired unseen") {
      $0.served = { [try $0.leaf("old") { $0.notAfter = "2026-01-01" }] }
    },
    Denial("the intermediate known", "block denied") { $0.served = { [try $0.leaf, try $0.intermediate] } },
    Denial("another intermediate known", "allow unseen") { $0.served = { [try $0.leaf, try $0.otherIntermediate] } },
    // Its key may be the denied one in another encoding.
    Denial("an intermediate known that has a compressed point", "block key-encoding") {
      $0.served = { make in
        let hidden = try make.authority("Hidden") { $0.key = .p256Point("compressed") }
        return [try make.leaf("below hidden", by: hidden), hidden]
      }
    },
    // Whatever position a denied key states, a transport that sees the key blocks.
    Denial("the whole chain", "block denied") {
      $0.transport = .stands
      $0.served = { [try $0.leaf, try $0.intermediate] }
    },
    Denial("the whole chain, the key being said to be a leaf's", "block denied") {
      $0.position = .leaf
      $0.transport = .replaced
      $0.served = { [try $0.leaf, try $0.intermediate] }
    },
    // The entry requires certificates above the leaf anyway, so it is rejected with or without a denial.
    Denial("a pair asked for", "block other") { $0.requirement = .leafAndCA },
  ])
  func aDenialAboveTheLeafNeverStopsTheService(_ denial: Denial) throws {
    let make = try Maker()
    var scene = Scene("", "")
    scene.requirement = denial.requirement
    var manifest = try manifest(scene, make)
    manifest.keys.insert(
      Manifest.Key(name: "broken-into", pin: try make.intermediate.pin, position: denial.position, denied: "lost"),
      at: 0)
    let loaded = try loaded(manifest)
    let anchors = try TrustAnchors([try make.root.pem, try make.otherRoot.pem])
    let validator = Validator(manifest: loaded, evaluator: TrustEvaluator(anchors: anchors))
    let decision = validator.evaluate(
      PeerHandshake(
        host: "example.com", port: 443, certificates: try denial.served(make).map(\.der), tlsVersion: .tls13),
      at: try instant("2026-11-15"), transport: denial.transport)
    let isUnseen = decision.verdict.context.events.contains(.denialsLeafOnly)
    #expect(Self.text(decision.verdict) + (isUnseen ? " unseen" : "") == denial.expected)
    #expect(loaded.deniedKeysAboveLeaf == (denial.position == .leaf ? [] : ["broken-into"]))
    // No entry is undecidable because of a denial.
    #expect(loaded.limits(ofLeafOnly: .leaf).isEmpty == (denial.requirement == .any))
  }

  @Test func leavesUnpinnedHostsToTheTransport() throws {
    let make = try Maker()
    let validator = Validator(manifest: try loaded(try manifest(Scene("", ""), make)))
    let decision = validator.evaluate(
      PeerHandshake(host: "example.org", port: 443, certificates: [[1]], tlsVersion: nil),
      at: try instant("2026-11-15"), transport: .leafOnly)
    #expect(decision.disposition == .performDefaultHandling)
  }

  private func manifest(_ scene: Scene, _ make: Maker) throws -> Manifest {
    let entry = try Manifest.HostEntry(
      "example.com", scene.mode, keys: "pinned", require: scene.requirement, trust: try scene.trust(make))
    var manifest = try Manifest.sample(hosts: [entry], denied: false)
    manifest.keys = [
      Manifest.Key(name: "pinned", pin: try scene.pinned(make).pin, position: scene.position, denied: nil)
    ]
    if let position = scene.deniedAt {
      manifest.keys.insert(
        Manifest.Key(name: "lost", pin: try make.leaf.pin, position: position, denied: "lost"), at: 0)
    }
    manifest.keySets = [Manifest.KeySet(name: "pinned", active: ["pinned"], backup: [])]
    return manifest
  }

  private static func text(_ verdict: Verdict) -> String {
    switch verdict {
    case .allow: "allow"
    case .notPinned: "notPinned"
    case .block(.mismatch, _): "block mismatch"
    case .block(.deniedKey, _): "block denied"
    case .block(.untrusted(let failure), _): "block \(failure.code)"
    case .block(let reason, _): "block \(reason)"
    }
  }
}
