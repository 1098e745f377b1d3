@testable import ClientWorlds

/// Authorities whose keys are in two certificates.
extension ClientCaseTests {
  private static func crossSigned(_ name: String, _ expected: String..., change: (inout World) -> Void) -> Row {
    let trust = World.Trust(anchors: [.root0, .root2], crossSigned: [0])
    var layer = Layer()
    layer.new = .backup
    layer.trust = trust
    var world = World(
      releases: [World.Release(age: 40, layer: layer)], policy: layer, old: World.Key(place: .leaf),
      new: World.Key(place: .leaf))
    world.authorities[0].root.flaw = .ends(-20)
    world.authorities[0].usesIntermediate = false
    change(&world)
    var row = Row(name, world)
    row.expected = expected
    return row
  }

  static let twins: [Row] = [
    crossSigned(
      "a leaf below a root that has ended, around which a cross-signed certificate leads",
      "check: warns P331", "diff: safe", "rotate: day 0 new, day 0 release"
    ) { _ in },
    crossSigned(
      "the same, by a step of the policy", "check: warns P331", "diff: safe", "rotate: day 0 new, day 0 release"
    ) { world in
      world.policy.new = .active
      world.step = 12
    },
    crossSigned(
      "the same, without evidence", "check: warns P331", "diff: safe", "rotate: day 0 new, day 0 release"
    ) {
      $0.hasEvidence = false
    },
    crossSigned(
      "the cross-signed certificate is taken out with the change", "check: warns P331", "diff: unsafe P613",
      "rotate: no plan"
    ) { world in
      world.policy.new = .active
      world.policy.trust.crossSigned = []
      world.step = 12
    },
    crossSigned(
      "a root that has ended is pinned as an intermediate", "check: warns P331", "diff: safe", "simulate: safe",
      "rotate: day 0 new"
    ) { world in
      world.old = World.Key(place: .root, statesPlace: false)
      world.change = World.Change(holder: .new, day: 1)
    },
    crossSigned(
      "a root that has ended is pinned as the root, but the path goes on", "check: warns P331", "diff: safe",
      "simulate: unsafe", "rotate: no plan"
    ) { world in
      world.new = World.Key(place: .root, form: .pin)
      world.change = World.Change(holder: .new, day: 1)
    },
    crossSigned(
      "the anchor has another identifier than leaves name", "diff: safe", "rotate: day 0 new, day 0 release"
    ) { world in
      world.authorities[0].root.flaw = .otherIdentifier
      for number in world.releases.indices { world.releases[number].layer.trust = World.Trust(anchors: [.root0]) }
      world.policy.trust = World.Trust(anchors: [.root0])
    },
  ]
}
