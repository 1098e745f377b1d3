@testable import ClientWorlds

extension ClientCaseTests {
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
