import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Which path is taken where there are several, whatever the order in which they were sent.
@Suite struct PathChoiceTests {
  @Test(arguments: [
    PathScenario("an intermediate by a stranger, and by an anchor", "leaf I/A A") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "B"), try scene.certify("I", by: "A")],
        anchors: [try scene.root("A")])
    },
    PathScenario("one variant's constraints exclude the name", "leaf I/A A") { scene in
      let bad = try scene.certify("I", by: "A", as: "bad") { $0.fault = .constrained }
      return PathWorld(
        leaf: try scene.leaf(by: "I"), served: [bad, try scene.certify("I", by: "A")], anchors: [try scene.root("A")])
    },
    PathScenario("one variant has expired", "leaf I/A A") { scene in
      let bad = try scene.certify("I", by: "A", as: "bad") { $0.fault = .expired }
      return PathWorld(
        leaf: try scene.leaf(by: "I"), served: [bad, try scene.certify("I", by: "A")], anchors: [try scene.root("A")])
    },
    PathScenario("one variant is for clients", "leaf I/A A") { scene in
      let bad = try scene.certify("I", by: "A", as: "bad") { $0.fault = .wrongUsage }
      return PathWorld(
        leaf: try scene.leaf(by: "I"), served: [bad, try scene.certify("I", by: "A")], anchors: [try scene.root("A")])
    },
    PathScenario("one variant doesn't say that it is an authority", "leaf I/A A") { scene in
      let bad = try scene.certify("I", by: "A", as: "bad") { $0.fault = .notSaidToBeAnAuthority }
      return PathWorld(
        leaf: try scene.leaf(by: "I"), served: [bad, try scene.certify("I", by: "A")], anchors: [try scene.root("A")])
    },
    PathScenario("one variant allows nobody below", "leaf J/I I/A A") { scene in
      let bad = try scene.certify("I", by: "A", as: "bad") { $0.pathLength = 0 }
      return PathWorld(
        leaf: try scene.leaf(by: "J"),
        served: [bad, try scene.certify("J", by: "I"), try scene.certify("I", by: "A")], anchors: [try scene.root("A")])
    },
    PathScenario("authorities that certify each other", "leaf I/J J/K K/A A") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"),
        served: [
          try scene.certify("I", by: "J"), try scene.certify("J", by: "I"), try scene.certify("J", by: "K"),
          try scene.certify("K", by: "I"), try scene.certify("K", by: "A"),
          try scene.certify("I", by: "A", as: "bad") { $0.fault = .constrained },
        ], anchors: [try scene.root("A")])
    },
    PathScenario("the root in the store has expired, and was certified by another", "leaf I/A A/B B") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "A"), try scene.certify("A", by: "B")],
        anchors: [try scene.root("A") { $0.fault = .expired }, try scene.root("B")])
    },
    PathScenario("an intermediate that is an anchor too", "leaf I/A") { scene in
      let authority = try scene.certify("I", by: "A")
      return PathWorld(
        leaf: try scene.leaf(by: "I"), served: [authority, try scene.certify("I", by: "B")],
        anchors: [authority, try scene.root("A")])
    },
    PathScenario("an anchor of the name of a sent authority, and its identifier", "leaf N#2/B B") { scene in
      let anchor = try scene.root("N")
      return PathWorld(
        leaf: try scene.leaf(by: "N#2") { $0.authorityIdentifier = anchor.profile.subjectIdentifier },
        served: [try scene.certify("N#2", by: "B")], anchors: [anchor, try scene.root("B")])
    },
    PathScenario("three keys under one name", "leaf N#3/A A") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "N#3") { $0.authorityIdentifier = [1, 2, 3] },
        served: [
          try scene.certify("N", by: "A"), try scene.certify("N#2", by: "A"), try scene.certify("N#3", by: "A"),
        ], anchors: [try scene.root("A")])
    },
    PathScenario("a stranger's root in the middle", "leaf I/A A/B B") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"),
        served: [try scene.certify("I", by: "A"), try scene.root("A"), try scene.certify("A", by: "B")],
        anchors: [try scene.root("B")])
    },
    PathScenario("no path: the one that leads to an anchor is explained", "refused expired@1") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"),
        served: [try scene.certify("I", by: "B"), try scene.certify("I", by: "A") { $0.fault = .expired }],
        anchors: [try scene.root("A")])
    },
    PathScenario("the leaf has expired, so no path is looked for", "refused expired@0") { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I") { $0.fault = .expired },
        served: [try scene.certify("I", by: "A"), try scene.certify("I", by: "A") { $0.end = "20400101000000Z" }],
        anchors: [try scene.root("A")])
    },
  ])
  func choice(_ row: PathScenario) throws {
    let scene = Scene()
    let world = try row.build(scene)
    let evaluator = try world.evaluator()
    var random = SeededGenerator(seed: 1)
    for _ in 0..<24 {
      let order = (world.served + [random.pick(world.served)]).shuffled(using: &random)
      let outcome = try world.ask(evaluator, order)
      #expect(scene.text(outcome) == row.expected)
    }
  }

  /// Of two paths the one without an exception is taken, also where libcrypto would take the other.
  @Test func anExceptionIsTheLastResort() throws {
    let scene = Scene()
    let expired = try scene.root("A") { $0.fault = .expired }
    let cross = try scene.certify("A", by: "B")
    var world = PathWorld(
      leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "A"), cross],
      anchors: [expired, try scene.root("B")])
    world.excused = [expired]
    #expect(scene.text(try world.ask(try world.evaluator(), world.served)) == "leaf I/A A/B B")
    world.served.removeLast()
    #expect(scene.text(try world.ask(try world.evaluator(), world.served)) == "leaf I/A A expired@2")
  }

  /// Pins are compared with the path that is taken: a denied key on it blocks, and no other path is looked for.
  @Test func aDeniedKeyIsNotWalkedAround() throws {
    let scene = Scene()
    let roots = [try scene.root("A"), try scene.root("B")]
    let authorities = [try scene.certify("I", by: "A"), try scene.certify("I", by: "B")]
    let leaf = try scene.leaf(by: "I")
    var manifest = try Manifest.sample(hosts: [try Manifest.HostEntry("example.com", keys: "pinned")], denied: false)
    func decide(denying root: PathWorld.Link?) throws -> [Verdict] {
      var keys = [Manifest.Key(name: "i", pin: try pin(authorities[0]), position: nil, denied: nil)]
      if let root { keys.append(Manifest.Key(name: "lost", pin: try pin(root), position: nil, denied: "it is lost")) }
      manifest.keys = keys
      manifest.keySets = [Manifest.KeySet(name: "pinned", active: ["i"], backup: [])]
      let evaluator = TrustEvaluator(anchors: try TrustAnchors(roots.map(\.der)))
      let validator = Validator(manifest: try loaded(manifest), evaluator: evaluator)
      return try [authorities, authorities.reversed()].map { order in
        let handshake = PeerHandshake(
          host: "example.com", port: 443, certificates: [leaf.der] + order.map(\.der), tlsVersion: .tls13)
        return validator.evaluate(handshake, at: try instant("2026-06-01")).verdict
      }
    }
    #expect(try decide(denying: nil).map(\.reasonCode) == ["matched", "matched"])
    let blocked = try roots.map { try decide(denying: $0).map(\.reasonCode) }
    #expect(blocked.sorted { $0[0] < $1[0] } == [["denied-key", "denied-key"], ["matched", "matched"]])
  }

  private func pin(_ link: PathWorld.Link) throws -> Pin {
    Pin(SHA256Digest(try Certificate(der: link.der).publicKeyDigest()))
  }
}
