import Testing

@testable import ClientWorlds

/// Worlds that were once answered wrongly and their siblings: what each command says, and that the clients agree with it.
@Suite("Cases")
struct ClientCaseTests {
  typealias World = ClientWorld
  typealias Layer = ClientWorld.Layer

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var world: World
    var expected: [String]
    /// Whether a command says no although clients get through, for a reason that is given.
    var isCautious = false

    init(_ description: String, _ world: World, _ expected: String...) {
      (testDescription, self.world, self.expected) = (description, world, expected)
    }
  }

  private static let keys = WorldKeys()

  @Test(
    arguments: [
      promotions, barred, untried, replaced, denied, issued, excluded, clocks, ends, losses, thefts, files, twins,
    ].flatMap { $0 })
  func clientsAgree(_ row: Row) throws {
    let answers = try Answers(row.world, WorldTools(Self.keys))
    #expect(answers.lines == row.expected)
    #expect(answers.failures == [], "\(row.world)")
    if !row.isCautious { #expect(answers.needless == [], "\(row.world)") }
  }

  /// One release with `new` as a backup, the same policy, and evidence.
  private static func world(
    _ old: World.Place, _ new: World.Place, _ change: (inout World) -> Void = { _ in }
  ) -> World {
    var layer = Layer()
    layer.new = .backup
    var world = World(
      releases: [World.Release(age: 8, layer: layer)], policy: layer, old: World.Key(place: old),
      new: World.Key(place: new))
    change(&world)
    return world
  }

  /// Clients of the release have some trust settings, and the policy has others.
  private static func trust(
    _ world: World, _ before: (inout World.Trust) -> Void, _ after: (inout World.Trust) -> Void
  ) -> World {
    var world = world
    for number in world.releases.indices { before(&world.releases[number].layer.trust) }
    after(&world.policy.trust)
    return world
  }

  // MARK: A backup of the newest release becomes active although clients of an older one lack it

  static let promotions: [Row] = World.Place.allCases.flatMap { old -> [Row] in
    World.Place.allCases.flatMap { new -> [Row] in
      // A new leaf keeps what is above it, so the old key stays.
      let keepsOld = new == .leaf && old != .leaf
      return [(30, 22), (7, 0)].map { (window: Int, day: Int) in
        var row = Row(
          "\(old) and \(new), window \(window) (promote-other-half)",
          world(old, new) { world in
            world.hasEvidence = false
            world.window = window
            world.releases.insert(World.Release(age: 27, layer: Layer()), at: 0)
            world.policy.new = .active
          })
        row.expected = [
          day == 0 ? "diff: safe" : "diff: unsafe P604",
          "rotate: day \(day) new" + (keepsOld ? "" : ", day \(day) release"),
        ]
        // Nobody knows what is above it, and clients accept the old key there.
        row.isCautious = keepsOld
        return row
      }
    }
  }

  // MARK: Limits of a release that is out, on what is planned

  /// Each limit bars the new key for the clients of the release, and the policy lifts it.
  private static let bars: [(String, World)] = [
    (
      "anchors (rotate-ignores-anchors)",
      trust(
        // A file would show that it isn't an anchor, and check rejects that.
        world(.root, .root) { $0.new.form = .pin }, { $0.anchors = [.root0] }, { $0.anchors = [.root0, .root1] })
    ),
    (
      "anchors, an intermediate",
      trust(world(.root, .intermediate), { $0.anchors = [.root0] }, { $0.anchors = [.root0, .root1] })
    ),
    ("certificate", trust(world(.leaf, .leaf), { $0.certificate = .old }, { _ in })),
    (
      "intermediates",
      trust(
        world(.intermediate, .intermediate) {
          $0.sharesRoot = true
          $0.sendsIntermediates = false
        }, { $0.intermediates = [0] }, { $0.intermediates = [0, 1] })
    ),
    (
      "server-name",
      // The key's own file would show it too, and check rejects that.
      trust(
        world(.root, .root) {
          $0.authorities[1].root.flaw = .excludesOtherName
          $0.new.form = .pin
        },
        {
          $0.anchors = [.root0, .root1]
          $0.otherName = true
        }, { $0.anchors = [.root0, .root1] })
    ),
  ]

  static let barred: [Row] = bars.flatMap { name, world in
    var (plan, step, change) = (Row(name, world), Row(name + ", a step", world), Row(name + ", --server", world))
    plan.expected = ["diff: safe", "rotate: day 0 release, day 10 new, day 10 release"]
    step.world.step = 1
    // The policy's own date has to be changed first.
    step.expected = ["diff: unsafe P613", "rotate: no plan"]
    change.world.change = World.Change(holder: .new, day: 1)
    change.expected = ["diff: safe", "simulate: unsafe", plan.expected[1]]
    return [plan, step, change]
  }

  static let untried: [Row] = [
    Row(
      "a backup that no release has, in place of the one that clients have (rotate-step-refused-by-write)",
      world(.leaf, .leaf) { world in
        world.hasEvidence = false
        world.releases[0].layer.new = .absent
        world.policy.spare = .absent
      }, "diff: safe",
      "rotate: day 0 release, day 10 new"),
    Row(
      "a backup root outside of the anchors",
      trust(world(.root, .root), { $0.anchors = [.root0] }, { $0.anchors = [.root0] }), "check: P336"),
    Row(
      "a backup with a short RSA key",
      trust(
        world(.leaf, .leaf) { $0.newLeaf.kind = .rsa2048 }, { $0.minimumRSA = 3072 }, { $0.minimumRSA = 3072 }),
      "check: P321"),
    Row(
      "a backup with a short EC key",
      trust(
        world(.leaf, .leaf) { world in
          world.oldLeaf.kind = .rsa3072
          (world.authorities[0].root.kind, world.authorities[0].intermediate.kind) = (.rsa3072, .rsa3072)
        }, { $0.minimumEC = 384 }, { $0.minimumEC = 384 }),
      "check: P321"),
    Row(
      "a backup with an even RSA exponent (rsa-exponent)",
      world(.leaf, .leaf) { world in
        world.newLeaf.kind = .rsaEvenExponent
        world.new.form = .publicKey
      }, "check: P311"),
    Row(
      "TLS 1.3, which another key doesn't bring (key-change-cures-tls)",
      trust(
        world(.root, .leaf) {
          $0.speaksTLS13 = false
          $0.change = World.Change(holder: .new, day: 0)
        }, { _ in }, { $0.minimumTLS13 = true }),
      "diff: unsafe P613", "simulate: unsafe", "rotate: no plan"),
    Row(
      "TLS 1.3 that nobody tried (tighten-without-evidence)",
      trust(world(.root, .leaf) { $0.hasEvidence = false }, { _ in }, { $0.minimumTLS13 = true }),
      "diff: safe P627", "rotate: day 0 new"),
    Row(
      "signatures that nobody tried (tighten-without-evidence)",
      trust(world(.root, .leaf) { $0.hasEvidence = false }, { _ in }, { $0.signatures = ["ecdsa"] }),
      "diff: safe P627", "rotate: day 0 new"),
    Row(
      "longer keys that nobody tried (tighten-without-evidence)",
      trust(world(.root, .leaf) { $0.hasEvidence = false }, { _ in }, { $0.minimumRSA = 3072 }),
      "diff: safe P627", "rotate: day 0 new"),
    Row(
      "longer RSA keys where no key is one",
      trust(
        world(.leaf, .leaf) { ($0.hasEvidence, $0.spare.form) = (false, .publicKey) },
        { $0.anchors = [.root0] }, { ($0.anchors, $0.minimumRSA) = ([.root0], 3072) }),
      "check: warns P336", "diff: safe", "rotate: day 0 new, day 0 release in a new certificate"),
    Row(
      "longer RSA keys where nobody says what a key is",
      trust(
        world(.leaf, .leaf) { $0.hasEvidence = false },
        { $0.anchors = [.root0] }, { ($0.anchors, $0.minimumRSA) = ([.root0], 3072) }),
      "check: warns P336", "diff: safe P627", "rotate: day 0 new, day 0 release in a new certificate"),
    Row(
      "an anchor that has ended, and is taken out",
      trust(
        world(.leaf, .leaf) { ($0.hasEvidence, $0.authorities[1].root.flaw) = (false, .ends(-20)) },
        { $0.anchors = [.root0, .root1] }, { $0.anchors = [.root0] }),
      "check: warns P336", "diff: safe", "rotate: day 0 new, day 0 release in a new certificate"),
    Row(
      "an anchor that hasn't ended, and is taken out",
      trust(
        world(.leaf, .leaf) { $0.hasEvidence = false }, { $0.anchors = [.root0, .root1] }, { $0.anchors = [.root0] }),
      "check: warns P336", "diff: safe P627", "rotate: day 0 new, day 0 release in a new certificate"),
    Row(
      "a server name that the next certificate has too",
      trust(
        world(.root, .root) { $0.oldLeaf.flaw = .otherName }, { $0.otherName = true }, { $0.otherName = true }),
      "diff: safe", "rotate: day 0 new, day 0 release"),
    Row(
      "a server name that the policy drops",
      trust(world(.root, .leaf) { $0.oldLeaf.flaw = .otherName }, { $0.otherName = true }, { _ in }),
      "diff: unsafe P613", "rotate: day 0 new"),
    Row(
      "a server that sends no intermediate, and an intermediate that no release has (rotate-without-intermediate)",
      trust(
        world(.intermediate, .intermediate) {
          $0.sharesRoot = true
          $0.sendsIntermediates = false
        }, { $0.intermediates = [0] }, { $0.intermediates = [0] }),
      "diff: safe", "rotate: no plan"),
  ]

  // MARK: One server has one chain for all clients

  /// Without evidence, the releases have some trust settings, and the policy has others.
  private static func replaced(
    _ name: String, _ before: @escaping (inout World.Trust) -> Void, _ after: @escaping (inout World.Trust) -> Void,
    _ expected: [String], at place: World.Place = .leaf, isCautious: Bool = false,
    _ change: (inout World) -> Void = { _ in }
  ) -> Row {
    var row = Row(
      name,
      trust(
        world(place, .leaf) {
          ($0.hasEvidence, $0.releases[0].layer.new, $0.policy.new) = (false, .absent, .absent)
          change(&$0)
        }, before, after))
    (row.expected, row.isCautious) = (expected, isCautious)
    return row
  }

  static let replaced: [Row] = [
    replaced(
      "another certificate for the same key", { $0.certificate = .old },
      { ($0.certificate, $0.isSecond) = (.old, true) },
      ["diff: unsafe P613 P627", "rotate: no plan"]),
    {
      var row = replaced(
        "another certificate for the key that servers change to", { $0.certificate = .new },
        { ($0.certificate, $0.isSecond) = (.new, true) },
        ["diff: unsafe P613", "simulate: unsafe", "rotate: no plan"])
      (row.world.releases[0].layer.new, row.world.policy.new) = (.active, .active)
      row.world.hasEvidence = true
      row.world.change = World.Change(holder: .new, day: 0)
      return row
    }(),
    replaced(
      "one certificate in place of any", { _ in }, { $0.certificate = .old },
      ["diff: safe P627", "rotate: no plan"]),
    replaced(
      "any in place of one certificate that the anchor issued", { $0.certificate = .old }, { $0.anchors = [.root0] },
      [
        "check: warns P336", "diff: safe P627 P627",
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate",
      ]),
    replaced(
      "any in place of one certificate that has another name",
      { ($0.certificate, $0.otherName) = (.old, true) }, { $0.anchors = [.root0] },
      [
        "check: warns P336", "diff: unsafe P613 P627 P627 P627",
        "rotate: no plan",
      ]
    ) { $0.oldLeaf.flaw = .otherName },
    replaced(
      "an anchor in place of another", { $0.anchors = [.root0] }, { $0.anchors = [.root1] },
      [
        "check: warns P336", "diff: safe P627 disjoint",
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate",
      ]),
    replaced(
      "an intermediate of the anchor in place of it", { $0.anchors = [.root0] }, { $0.anchors = [.intermediate1] },
      ["diff: safe P627", "rotate: day 0 release, day 10 new, day 10 release in a new certificate"]
    ) { ($0.sharesRoot, $0.old.form) = (true, .pin) },
    replaced(
      "an anchor in place of the system's", { _ in }, { $0.anchors = [.root1] },
      [
        "check: warns P336", "diff: safe P627",
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate",
      ]),
    replaced(
      "an exception less", { $0.exceptionUntil = 60 }, { _ in },
      ["check: warns P336", "diff: unsafe P613 P627", "rotate: no plan"]
    ) { $0.oldLeaf.flaw = .ends(-5) },
    replaced(
      "an exception less, for a certificate that no file has now",
      { $0.exceptionUntil = 60 }, { _ in },
      ["diff: safe P627", "rotate: day 0 release, day 10 new, day 10 release"]
    ) { ($0.oldLeaf.flaw, $0.old.form) = (.ends(-5), .pin) },
    replaced(
      "an exception that ends below a pinned root", { $0.exceptionUntil = 6 }, { $0.exceptionUntil = 6 },
      ["diff: unsafe P613", "rotate: day 0 new, day 0 release"], at: .root
    ) { $0.oldLeaf.flaw = .ends(-5) },
  ]

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
        "one of two anchors is denied", [.root0, .root1], inRelease: false, "check: warns P324", "diff: safe",
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate"),
      denied(
        "one of two anchors was denied before", [.root0, .root1], inRelease: true, "check: warns P324", "diff: safe",
        // Clients are locked out of the chain that the server has, which nobody knows.
        "rotate: day 0 release, day 10 new, day 10 release in a new certificate", isCautious: true),
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
          ["check: warns P327", "diff: safe", "rotate: no plan"]
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
      }, "diff: safe",
      "rotate: day 0 release, day 10 new, day 10 release"),
    Row(
      "an exception that ends before the change (rotate-exception-ends)", excused(until: 22), "diff: unsafe P613",
      "rotate: no plan"),
    Row(
      "an exception that ends after all", excused(until: 90), "diff: safe",
      "rotate: day 0 release, day 30 new, day 30 release"),
    Row("an entry that blocks before the change", expiring("block"), "diff: unsafe P607", "rotate: no plan"),
    Row(
      "an entry that leaves its host unpinned before, where that is denied",
      expiring("unpinned") { $0.policy.deniesUnpinned = true }, "diff: unsafe P607", "rotate: no plan"),
    Row(
      "an entry that leaves its host unpinned before", expiring("unpinned"), "diff: safe",
      "rotate: day 0 release, day 30 new, day 30 release"),
    Row(
      "an entry that blocks before in the release, and only reports in the policy",
      expiring("block") { $0.policy.onExpiry = "report-only" }, "diff: safe",
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
        "the anchor", .leaf, .leaf, { $0.anchors = [.root0] }, "check: warns P336", "diff: safe", plan + ", ends day 40"
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
        { ($0.anchors, $0.intermediates) = ([.root0], [0]) }, "diff: safe", plan + ", ends day 40"
      ) {
        $0.sendsIntermediates = false
        $0.authorities[0].intermediate.flaw = .ends(40)
      },
      ending("the new root", .root, .root, { $0.anchors = [.root0, .root1] }, "diff: safe", plan + ", ends day 40") {
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
        "diff: safe", plan + ", ends day 40"
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
      ending("the entry", .leaf, .leaf, { _ in }, "diff: safe", plan + ", ends day 40") {
        ($0.policy.expires, $0.policy.onExpiry) = (40, "block")
      },
      ending(
        "the exception of a certificate that clients have the key of", .leaf, .leaf,
        { ($0.exceptionUntil, $0.excused) = (6, .new) },
        "diff: safe", "rotate: day 0 new, day 0 release, ends day 6"
      ) {
        $0.newLeaf.flaw = .ends(-5)
        $0.releases[0].layer.new = .backup
      },
    ]
  }()

  // MARK: Losses

  private static func loss(_ change: (inout World) -> Void) -> World {
    world(.root, .leaf) { world in
      world.lost = .old
      world.spare = World.Key(place: .root)
      world.releases[0].layer.new = .absent
      world.policy.new = .absent
      change(&world)
    }
  }

  /// The only replacement is a leaf whose file clients reject.
  private static func lossOfLeaf(
    _ name: String, isOfOther: Bool = false, _ change: @escaping (inout World) -> Void
  ) -> Row {
    var row = Row(
      name,
      trust(
        loss {
          ($0.old.place, $0.releases[0].layer.new, $0.policy.new) = (.leaf, .backup, .backup)
          ($0.releases[0].layer.spare, $0.policy.spare) = (.absent, .absent)
          change(&$0)
        }, { if isOfOther { $0.anchors = [.root0] } }, { if isOfOther { $0.anchors = [.root0] } }))
    row.expected =
      (isOfOther ? ["check: warns P336"] : [])
      + ["diff: safe", "lose old: safe in a new certificate", "rotate: day 0 new in a new certificate"]
    return row
  }

  static let losses: [Row] = [
    Row("a spare root", loss { _ in }, "diff: safe", "lose old: safe", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare root that isn't an anchor",
      trust(loss { $0.spare.form = .pin }, { $0.anchors = [.root0] }, { $0.anchors = [.root0, .root2] }),
      "diff: safe", "lose old: unsafe stranded", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare root that is one",
      trust(loss { _ in }, { $0.anchors = [.root0, .root2] }, { $0.anchors = [.root0, .root2] }),
      "diff: safe", "lose old: safe", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare leaf, and no anchor that isn't lost",
      trust(loss { $0.spare.place = .leaf }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }),
      "diff: safe", "lose old: unsafe stranded", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare intermediate that the server doesn't send",
      trust(
        loss {
          $0.old.place = .intermediate
          $0.spare.place = .intermediate
          $0.sendsIntermediates = false
        }, { $0.intermediates = [0] }, { $0.intermediates = [0] }),
      "diff: safe", "lose old: unsafe stranded", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare leaf, and no other anchor that is valid yet",
      trust(
        loss {
          $0.spare.place = .leaf
          $0.authorities[1].intermediate.flaw = .begins(60)
        }, { $0.anchors = [.root0, .intermediate1] }, { $0.anchors = [.root0, .intermediate1] }),
      "check: warns P331", "diff: safe", "lose old: unsafe stranded", "rotate: day 0 new, day 0 release"),
    Row(
      "a spare leaf, and an anchor that is valid in time",
      trust(
        loss {
          $0.spare.place = .leaf
          $0.authorities[1].intermediate.flaw = .ends(60)
        }, { $0.anchors = [.root0, .intermediate1] }, { $0.anchors = [.root0, .intermediate1] }),
      "diff: safe", "lose old: safe in a new certificate", "rotate: day 0 new, day 0 release"),
    lossOfLeaf("a spare leaf whose certificate has ended") { $0.newLeaf.flaw = .ends(-5) },
    lossOfLeaf("a spare leaf whose certificate has another name") { $0.newLeaf.flaw = .otherName },
    lossOfLeaf("a spare leaf of another authority", isOfOther: true) { $0.newLeafAuthority = 1 },
    Row(
      "an intermediate below the lost root, which only an anchor shows",
      trust(
        loss {
          ($0.old.form, $0.hasEvidence, $0.sharesRoot) = (.pin, false, true)
          $0.new.place = .intermediate
          ($0.releases[0].layer.new, $0.policy.new) = (.backup, .backup)
          ($0.releases[0].layer.spare, $0.policy.spare) = (.absent, .absent)
        }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }),
      "diff: safe", "lose old: unsafe stranded", "rotate: day 0 new"),
  ]

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

  // MARK: Key files that no client accepts

  /// The new key is active from now on, by a file that shows what its certificate says.
  private static func file(_ place: World.Place, _ change: (inout World) -> Void) -> World {
    world(.root, place) { world in
      world.policy.new = .active
      (world.releases[0].layer.new, world.step) = (.absent, nil)
      change(&world)
    }
  }

  static let files: [Row] = {
    let plan = "rotate: day 0 release, day 10 new, day 10 release"
    let intermediates: [Row] = [
      .noKeyUsage, .noIdentifiers, .noSubjectIdentifier, .noAuthorityIdentifier, .clientAuth, .noCertSign,
      .permitsOthers, .excludesHost,
    ].map { (flaw: World.Flaw) in
      Row(
        "an intermediate: \(flaw) (check-key-file-int)",
        file(.intermediate) { $0.authorities[1].intermediate.flaw = flaw },
        "check: warns P336", "diff: safe", "rotate: no plan")
    }
    let roots: [Row] = [.clientAuth, .noCertSign, .permitsOthers, .excludesHost].map { (flaw: World.Flaw) in
      Row(
        "a root: \(flaw) (rotate-to-unusable-root)", file(.root) { $0.authorities[1].root.flaw = flaw }, "check: P336")
    }
    let form: [Row] = [.noKeyUsage, .noIdentifiers].map { (flaw: World.Flaw) in
      // The case c04-suggest-rejected-root: of a root, only what it restricts counts.
      Row("a root: \(flaw)", file(.root) { $0.authorities[1].root.flaw = flaw }, "diff: safe", plan)
    }
    let dates: [Row] = [.begins(60), .ends(-20)].map { (flaw: World.Flaw) in
      Row("a root: \(flaw)", file(.root) { $0.authorities[1].root.flaw = flaw }, "diff: safe", "rotate: no plan")
    }
    let leaves: [Row] = [.ends(-5), .begins(60), .clientAuth, .otherName, .noAuthorityIdentifier].map {
      (flaw: World.Flaw) in
      let warned = [.clientAuth, .noAuthorityIdentifier].contains(flaw) ? ["check: warns P336"] : []
      var row = Row("a leaf: \(flaw)", world(.leaf, .leaf) { $0.newLeaf.flaw = flaw })
      row.expected = warned + ["diff: safe", "rotate: day 0 new, day 0 release in a new certificate"]
      return row
    }
    return intermediates + roots + form + dates + leaves + [
      Row(
        "a root that ends before the step (rotate-to-unusable-root)",
        trust(
          file(.root) {
            ($0.releases[0].layer.new, $0.policy.new) = (.backup, .backup)
            ($0.authorities[1].root.flaw, $0.step) = (.ends(6), 12)
          }, { $0.anchors = [.root0, .root1] }, { $0.anchors = [.root0, .root1] }), "diff: unsafe P613",
        "rotate: no plan"),
      Row(
        "an intermediate that a renewal saves",
        file(.intermediate) { $0.authorities[1].intermediate.flaw = .ends(-20) },
        "diff: safe", plan),
      Row(
        "an intermediate that isn't valid yet (check-key-file-int)",
        file(.intermediate) { $0.authorities[1].intermediate.flaw = .begins(60) },
        "diff: safe", "rotate: no plan"),
      Row(
        "an intermediate of another authority (key-of-another-authority)",
        trust(file(.intermediate) { _ in }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }),
        "check: warns P336", "diff: safe", "rotate: no plan"),
      Row(
        "a leaf of another authority (key-of-another-authority)",
        trust(file(.leaf) { $0.newLeafAuthority = 1 }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }),
        "diff: safe", "rotate: day 0 new, day 0 release in a new certificate"),
      Row(
        "an intermediate below an anchor that allows none",
        trust(
          file(.intermediate) {
            $0.sharesRoot = true
            $0.authorities[0].usesIntermediate = false
            $0.authorities[0].root.flaw = .noFurtherAuthority
          }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }), "check: warns P336", "diff: safe", "rotate: no plan"
      ),
      Row(
        "the same, of which only the pin is known",
        trust(
          file(.intermediate) {
            $0.new.form = .pin
            $0.sharesRoot = true
            $0.authorities[0].usesIntermediate = false
            $0.authorities[0].root.flaw = .noFurtherAuthority
          }, { $0.anchors = [.root0] }, { $0.anchors = [.root0] }), "check: warns P336", "diff: safe", "rotate: no plan"
      ),
      Row(
        "a root with RSA, where only ECDSA is accepted (rotate-to-unusable-root)",
        trust(
          file(.root) { $0.authorities[1].root.kind = .rsa3072 }, { $0.signatures = ["ecdsa"] },
          { $0.signatures = ["ecdsa"] }), "check: P336"),
    ]
  }()
}
