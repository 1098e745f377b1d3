@testable import ClientWorlds

extension ClientCaseTests {
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
      "check: warns P336", "diff: safe P627", "rotate: day 0 new, day 0 release in a new certificate"),
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
      "an anchor that the release denies, and is taken out",
      trust(
        world(.leaf, .leaf) {
          $0.hasEvidence = false
          $0.releases[0].layer.deniedFiles = [.root1]
          $0.policy.deniedFiles = [.root1]
        }, { $0.anchors = [.root0, .root1] }, { $0.anchors = [.root0] }),
      "check: warns P336", "diff: safe", "rotate: day 0 new, day 0 release in a new certificate"),
    Row(
      "longer RSA keys where a leaf and a CA are required, and no key is one",
      trust(
        world(.leaf, .leaf) { world in
          (world.hasEvidence, world.spare.form, world.newLeafAuthority) = (false, .publicKey, 0)
          for number in world.authorities.indices { world.authorities[number].usesIntermediate = false }
          (world.policy.requiresBoth, world.policy.pinnedRoots) = (true, [0])
          world.releases[0].layer = world.policy
        }, { $0.anchors = [.root0] }, { ($0.anchors, $0.minimumRSA) = ([.root0], 3072) }),
      "diff: safe P627", "rotate: day 0 new, day 0 release"),
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
  static func replaced(
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
}
