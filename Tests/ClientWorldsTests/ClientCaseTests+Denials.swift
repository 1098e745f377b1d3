@testable import ClientWorlds

extension ClientCaseTests {
  // MARK: Denied anchors

  static let denied: [Row] = {
    func denied(
      _ name: String, _ anchors: Set<World.Anchor>, inRelease: Bool, _ expected: String..., isCautious: Bool = false
    ) -> Row {
      replaced(name, { $0.anchors = anchors }, { $0.anchors = anchors }, expected, isCautious: isCautious) { world in
        world.old.form = .pin
        world.policy.deniedRoots = [0]
        if inRelease { world.releases[0].layer.deniedRoots = [0] }
      }
    }
    return [
      denied(
        "one of two anchors is denied", [.root0, .root1], inRelease: false, "check: warns P324", "diff: safe P627",
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate by another CA"),
      denied(
        "one of two anchors was denied before", [.root0, .root1], inRelease: true, "check: warns P324", "diff: safe",
        // Clients are locked out of the chain that the server has, which nobody knows.
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate by another CA", isCautious: true),
    ]
  }()

  // MARK: A denied authority above leaves of which no certificate is known

  static let hidden: [Row] = {
    func hidden(_ name: String, _ expected: String..., change: (inout World) -> Void) -> Row {
      var row = Row(
        name,
        world(.leaf, .leaf) { world in
          (world.hasEvidence, world.old.form, world.new.form, world.spare.form) = (false, .pin, .publicKey, .pin)
          world.spare.place = .leaf
          for number in world.authorities.indices { world.authorities[number].usesIntermediate = false }
          change(&world)
        })
      row.expected = expected
      return row
    }
    func anchors(_ world: inout World, _ anchors: Set<World.Anchor>) {
      world.policy.trust.anchors = anchors
      world.releases[0].layer.trust.anchors = anchors
    }
    let plan = "rotate: day 0 new, day 0 release"
    return [
      hidden("a root, where the system's anchors count", "diff: safe P627", plan + " by another CA") {
        $0.policy.deniedFiles = [.root0]
      },
      hidden("an intermediate, below the only anchor", "diff: safe P627", plan + " by another CA") {
        anchors(&$0, [.root0])
        $0.authorities[0].usesIntermediate = true
        $0.policy.deniedFiles = [.intermediate0]
      },
      hidden(
        "one of two anchors, and the active leaf's file shows the other", "check: warns P324", "diff: safe",
        plan + " by another CA"
      ) {
        anchors(&$0, [.root0, .root1])
        $0.old.form = .certificate
        $0.policy.deniedFiles = [.root1]
      },
      hidden("an authority that isn't below an anchor", "diff: safe", plan) {
        anchors(&$0, [.root0])
        $0.policy.deniedFiles = [.root1]
      },
      hidden("a denial that the release has", "diff: safe", plan + " by another CA") {
        $0.policy.deniedFiles = [.root1]
        $0.releases[0].layer.deniedFiles = [.root1]
      },
      hidden("a root beside the one that is pinned", "diff: safe", "rotate: day 0 new by another CA") {
        ($0.old.place, $0.old.form) = (.root, .certificate)
        $0.policy.deniedFiles = [.root1]
      },
      hidden(
        "a temporary leaf", "diff: unsafe P613 P627", "rotate: day 0 spare, day 0 release, day 10 new by another CA"
      ) {
        ($0.old.form, $0.spare.form) = (.pin, .publicKey)
        ($0.policy.old, $0.policy.spare, $0.policy.new) = (.absent, .active, .backup)
        $0.releases[0].layer.new = .absent
        $0.policy.denied = [.old]
        $0.policy.deniedFiles = [.root1]
      },
      hidden("a denied root above an intermediate that is an anchor", "diff: safe", "rotate: day 0 new") {
        anchors(&$0, [.intermediate0])
        ($0.old, $0.authorities[0].usesIntermediate) = (World.Key(place: .intermediate), true)
        $0.old.statesPlace = false
        $0.policy.deniedFiles = [.root0]
        $0.releases[0].layer.deniedFiles = [.root0]
      },
      hidden("with evidence of another issuer", "diff: safe", plan + " by another CA") {
        $0.hasEvidence = true
        $0.policy.deniedFiles = [.root1]
      },
    ]
  }()

  // MARK: Who issued the file of a leaf's key

  /// Leaves come from roots, so that anchors show who issued them.
  private static func issued(
    _ name: String, _ anchors: Set<World.Anchor>, _ expected: [String], _ change: (inout World) -> Void
  ) -> Row {
    var row = Row(
      name,
      trust(
        world(.leaf, .leaf) { world in
          for number in world.authorities.indices { world.authorities[number].usesIntermediate = false }
          change(&world)
        }, { $0.anchors = anchors }, { $0.anchors = anchors }))
    row.expected = expected
    return row
  }

  private static func pair(_ world: inout World, _ root: Int) {
    (world.policy.requiresBoth, world.policy.pinnedRoots) = (true, [root])
    world.releases[0].layer = world.policy
  }

  static let issued: [Row] = {
    let plan = "rotate: day 0 new, day 0 release"
    return [
      issued(
        "by an authority that the policy denies", [.root0, .root1],
        ["check: warns P324", "diff: unsafe P613", plan]
      ) {
        $0.hasEvidence = false
        $0.newLeafAuthority = 1
        $0.policy.deniedRoots = [0]
      },
      issued(
        "by an intermediate below an authority that the policy denies", [.root0, .root1],
        ["check: warns P324", "diff: unsafe P613", plan]
      ) {
        $0.hasEvidence = false
        $0.newLeafAuthority = 1
        $0.authorities[0].usesIntermediate = true
        $0.policy.trust.intermediates = [0]
        $0.policy.deniedRoots = [0]
      },
      issued(
        "of the next key, by an authority that the policy denies", [.root0, .root1],
        ["check: warns P324", "diff: safe", plan + " in a new certificate"]
      ) {
        $0.newLeafAuthority = 1
        $0.policy.deniedRoots = [1]
        $0.releases[0].layer.deniedRoots = [1]
      },
      {
        // Another leaf below the same authority doesn't help clients who are locked out already.
        var row = issued(
          "by an authority that isn't pinned", [.root0, .root1],
          ["check: warns P327", "diff: safe P614", "rotate: no plan"]
        ) {
          pair(&$0, 1)
          $0.hasEvidence = false
        }
        row.isCautious = true
        return row
      }(),
      issued(
        "by an authority that isn't pinned, where a pair is required from now on", [.root0, .root1],
        ["check: warns P327", "diff: unsafe P613", "rotate: no plan"]
      ) {
        pair(&$0, 1)
        $0.hasEvidence = false
        $0.releases[0].layer.requiresBoth = false
      },
      issued("by the authority that is pinned", [.root0, .root1], ["diff: safe", plan]) {
        pair(&$0, 0)
        $0.hasEvidence = false
      },
      issued(
        "of the next key, by an authority that isn't pinned", [.root0, .root1],
        ["diff: safe", plan + " in a new certificate"]
      ) {
        pair(&$0, 0)
        $0.newLeafAuthority = 1
      },
    ]
  }()

  // MARK: Hosts that clients block because they have no pins

  static let excluded: [Row] = {
    func excluded(_ name: String, _ expected: String..., change: (inout World) -> Void) -> Row {
      var row = Row(name, world(.leaf, .leaf, change))
      row.expected = expected
      return row
    }
    return [
      excluded("a host that is left out, where unpinned hosts become denied", "diff: unsafe P613", "rotate: no plan") {
        ($0.policy.isOff, $0.releases[0].layer.isOff) = (true, true)
        $0.policy.deniesUnpinned = true
      }
    ]
  }()

  // MARK: A stolen key

  private static func theft(_ change: (inout World) -> Void) -> World {
    world(.root, .root) { world in
      world.spare = World.Key(place: .root)
      world.releases[0].layer.new = .absent
      world.policy.old = .absent
      world.policy.denied = [.old]
      (world.policy.new, world.policy.spare) = (.backup, .active)
      change(&world)
    }
  }

  static let thefts: [Row] = [
    Row("a refuge", theft { _ in }, "diff: unsafe P613", "rotate: day 0 spare, day 0 release, day 10 new"),
    Row(
      "a refuge that isn't an anchor of clients",
      trust(
        theft { $0.spare.form = .pin }, { $0.anchors = [.root0] }, { $0.anchors = [.root0, .root1, .root2] }),
      "check: warns P324", "diff: unsafe P613",
      "rotate: day 0 release without denial, day 10 new, day 10 release"),
    Row(
      "an intermediate below the stolen root, which only evidence shows",
      theft {
        ($0.old.form, $0.sharesRoot) = (.pin, true)
        $0.new.place = .intermediate
        $0.releases[0].layer.new = .backup
        $0.policy.new = .active
        $0.policy.spare = .backup
      }, "diff: unsafe P613", "rotate: no plan"),
    Row(
      "what stays beside the new key is its backup",
      theft {
        ($0.old.place, $0.new.place, $0.spare.place) = (.leaf, .leaf, .intermediate)
        $0.hasEvidence = false
        $0.releases[0].layer.new = .active
      }, "diff: unsafe P613", "rotate: day 0 new, day 0 release"),
  ]
}
