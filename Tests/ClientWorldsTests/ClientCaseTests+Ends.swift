@testable import ClientWorlds

extension ClientCaseTests {
  // MARK: Clocks of the policy

  private static func clock(_ window: Int, _ change: (inout World) -> Void) -> World {
    world(.leaf, .leaf) { world in
      world.window = window
      world.releases[0].layer.new = .absent
      change(&world)
    }
  }

  private static func excused(until day: Int) -> World {
    trust(
      clock(30) {
        $0.oldLeaf.flaw = .ends(-5)
      }, { $0.exceptionUntil = day }, { $0.exceptionUntil = day })
  }

  private static func expiring(_ onExpiry: String, _ change: (inout World) -> Void = { _ in }) -> World {
    clock(30) { world in
      (world.policy.expires, world.policy.onExpiry) = (12, onExpiry)
      (world.releases[0].layer.expires, world.releases[0].layer.onExpiry) = (12, onExpiry)
      change(&world)
    }
  }

  static let clocks: [Row] = [
    Row(
      "a pair that the policy loosens, in an entry that blocks after all (rotate-loosened-block)",
      world(.leaf, .root) { world in
        world.hasEvidence = false
        (world.old.form, world.new.form) = (.pin, .pin)
        (world.policy.pinnedRoots, world.policy.expires, world.policy.onExpiry) = ([0], 185, "block")
        world.releases[0].layer = world.policy
        world.releases[0].layer.requiresBoth = true
        // Without evidence, the policy says that the root may be presented below an unknown leaf too.
      }, "diff: safe P614",
      "rotate: day 0 release, day 10 new, day 10 release"),
    Row(
      "an exception that ends before the change (rotate-exception-ends)", excused(until: 22), "diff: unsafe P613",
      "rotate: no plan"),
    Row(
      "an exception that ends after all", excused(until: 90), "diff: safe",
      "rotate: day 0 release, day 30 new, day 30 release"),
    Row("an entry that blocks before the change", expiring("block"), "diff: unsafe P607 P614", "rotate: no plan"),
    Row(
      "an entry that leaves its host unpinned before, where that is denied",
      expiring("unpinned") { $0.policy.deniesUnpinned = true }, "diff: unsafe P607", "rotate: no plan"),
    Row(
      "an entry that leaves its host unpinned before", expiring("unpinned"), "diff: safe",
      "rotate: day 0 release, day 30 new, day 30 release"),
    Row(
      "an entry that blocks before in the release, and only reports in the policy",
      expiring("block") { $0.policy.onExpiry = "report-only" }, "diff: safe P614",
      "rotate: day 0 release, day 30 new, day 30 release, ends day 12"),
    Row(
      "a certificate that ends and that no renewal replaces",
      trust(
        clock(10) {
          $0.oldLeaf.flaw = .ends(14)
          $0.change = World.Change(holder: .old, day: 20)
        }, { $0.certificate = .old }, { $0.certificate = .old }),
      "diff: safe", "simulate: unsafe", "rotate: no plan"),
    Row(
      "an entry that only reports before", expiring("report-only"), "diff: safe",
      "rotate: day 0 release, day 30 new, day 30 release"),
  ]

  // MARK: What ends soon after a plan's last step

  static let ends: [Row] = {
    let plan = "rotate: day 0 release, day 30 new, day 30 release"
    func ending(
      _ name: String, _ old: World.Place, _ new: World.Place, _ trust: @escaping (inout World.Trust) -> Void,
      _ expected: String..., change: (inout World) -> Void
    ) -> Row {
      let world = world(old, new) { world in
        world.window = 30
        world.releases[0].layer.new = .absent
        change(&world)
      }
      var row = Row(name, Self.trust(world, trust, trust))
      row.expected = expected
      return row
    }
    return [
      ending(
        "the anchor", .leaf, .leaf, { $0.anchors = [.root0] }, "check: warns P336", "diff: safe", "rotate: no plan"
      ) {
        $0.authorities[0].root.flaw = .ends(40)
      },
      ending(
        "the anchor, later than any window", .leaf, .leaf, { $0.anchors = [.root0] }, "check: warns P336", "diff: safe",
        plan
      ) {
        $0.authorities[0].root.flaw = .ends(62)
      },
      ending(
        "an intermediate that servers don't send", .leaf, .leaf,
        { ($0.anchors, $0.intermediates) = ([.root0], [0]) }, "diff: safe", "rotate: no plan"
      ) {
        $0.sendsIntermediates = false
        $0.authorities[0].intermediate.flaw = .ends(40)
      },
      ending("the new root", .root, .root, { $0.anchors = [.root0, .root1] }, "diff: safe", "rotate: no plan") {
        $0.authorities[1].root.flaw = .ends(40)
      },
      ending("the old root", .root, .root, { $0.anchors = [.root0, .root1] }, "diff: safe", plan) {
        $0.authorities[0].root.flaw = .ends(40)
      },
      ending("the new root, of the system", .root, .root, { _ in }, "diff: safe", plan + ", ends day 40") {
        $0.authorities[1].root.flaw = .ends(40)
      },
      ending("the new intermediate", .root, .intermediate, { _ in }, "diff: safe", plan + ", ends day 40") {
        $0.authorities[1].intermediate.flaw = .ends(40)
      },
      ending(
        "the exception of the new certificate", .leaf, .leaf, { ($0.exceptionUntil, $0.excused) = (40, .new) },
        "diff: safe", "rotate: no plan"
      ) { $0.newLeaf.flaw = .ends(-5) },
      ending(
        "an intermediate of a release from now that servers don't send (certificate-expires)", .root, .leaf,
        { ($0.anchors, $0.intermediates) = ([.root0], [0]) }, "check: warns P331", "diff: unsafe P613",
        "rotate: no plan"
      ) {
        $0.sendsIntermediates = false
        $0.authorities[0].intermediate.flaw = .ends(7)
      },
      ending("the one certificate", .leaf, .leaf, { $0.certificate = .old }, "diff: safe", "rotate: no plan") {
        $0.oldLeaf.flaw = .ends(40)
      },
      ending("the entry", .leaf, .leaf, { _ in }, "diff: safe", "rotate: no plan") {
        ($0.policy.expires, $0.policy.onExpiry) = (40, "block")
      },
      {
        // The server could change today, but no release could follow.
        var row = ending(
          "the exception of a certificate that clients have the key of", .leaf, .leaf,
          { ($0.exceptionUntil, $0.excused) = (6, .new) },
          "diff: safe", "rotate: no plan"
        ) {
          $0.newLeaf.flaw = .ends(-5)
          $0.releases[0].layer.new = .backup
        }
        row.isCautious = true
        return row
      }(),
    ]
  }()
}
