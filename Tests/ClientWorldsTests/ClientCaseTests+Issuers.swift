@testable import ClientWorlds

/// Authorities whose keys are in certificates of two issuers, or of two names.
extension ClientCaseTests {
  private static func crossed(
    _ name: String, _ trust: World.Trust, _ expected: [String],
    change: (inout World) -> Void = { _ in }
  ) -> [Row] {
    var world = sharing(trust, world(.intermediate, .leaf) { $0.hasEvidence = false })
    (world.new.form, world.policy.deniedFiles) = (.pin, [.root2])
    change(&world)
    // Servers may send either certificate, and commands don't know which.
    return [false, true].map { isCross in
      var world = world
      if isCross { world.crossSent = [0, 1] }
      var row = Row(name + (isCross ? ", which is sent" : ""), world)
      row.expected = expected
      return row
    }
  }

  private static func sharing(_ trust: World.Trust, _ world: World) -> World {
    Self.trust(world, { $0 = trust }, { $0 = trust })
  }

  private static func renamed(
    _ name: String, _ before: World.Trust, _ after: World.Trust, _ expected: String..., change: (inout World) -> Void
  ) -> Row {
    var row = Row(name, trust(world(.intermediate, .leaf, change), { $0 = before }, { $0 = after }))
    row.expected = expected
    return row
  }

  static let issuers: [Row] =
    crossed(
      "an intermediate with another certificate by a root that is denied, and an issuer that isn't known",
      World.Trust(anchors: [.system], intermediates: [0], crossIntermediates: [0]),
      ["diff: safe P627", "rotate: day 0 new by another CA"])
    + crossed(
      "the same below two anchors", World.Trust(anchors: [.root0, .root2], crossIntermediates: [0]),
      ["check: warns P324", "diff: safe P627", "rotate: day 0 new by another CA"])
    + crossed(
      "the same, where the denied root is the only anchor above it",
      World.Trust(anchors: [.root1, .root2], intermediates: [0], crossIntermediates: [0]),
      ["check: warns P324", "diff: unsafe P613", "rotate: no plan"])
    + crossed(
      "a leaf's file below such an intermediate",
      World.Trust(anchors: [.system], intermediates: [0], crossIntermediates: [0]),
      ["diff: safe P627", "rotate: day 0 new, day 0 release by another CA"]
    ) { $0.old = World.Key(place: .leaf) }
    + crossed(
      "a plan to such an intermediate", World.Trust(anchors: [.system], crossIntermediates: [1]),
      ["diff: safe P627", "rotate: day 0 new, day 0 release by another CA"]
    ) {
      ($0.old, $0.new) = (World.Key(place: .leaf), World.Key(place: .intermediate))
    }
    + [
      renamed(
        "a new anchor with the key of a pinned intermediate, under another name", World.Trust(anchors: [.root0]),
        World.Trust(anchors: [.root0], renamed: [.intermediate0]), "diff: safe P627", "rotate: day 0 new"
      ) { $0.hasEvidence = false },
      renamed(
        "such an anchor in all releases", World.Trust(anchors: [.root0], renamed: [.intermediate0]),
        World.Trust(anchors: [.root0], renamed: [.intermediate0]), "diff: safe", "rotate: day 0 new"
      ) { $0.hasEvidence = false },
      renamed(
        "an anchor with the key of the system's root above, under another name",
        World.Trust(anchors: [.system], renamed: [.root0]), World.Trust(anchors: [.system], renamed: [.root0]),
        "diff: safe", "simulate: safe", "rotate: day 0 new"
      ) { $0.change = World.Change(holder: nil, day: 1) },
      renamed(
        "a denied root above an intermediate that is an anchor under another name",
        World.Trust(anchors: [.root0, .root1], intermediates: [0], renamed: [.intermediate0]),
        World.Trust(anchors: [.root0, .root1], intermediates: [0], renamed: [.intermediate0]),
        "check: warns P324", "diff: unsafe P613", "rotate: day 0 new, day 0 release by another CA"
      ) {
        ($0.old, $0.new.form, $0.hasEvidence) = (World.Key(place: .leaf), .pin, false)
        $0.policy.deniedFiles = [.root0]
      },
    ]
}
