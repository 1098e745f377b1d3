import TestSupport

extension ClientWorld {
  /// The world of a number.
  package static func random(_ number: Int) -> ClientWorld {
    var chance = SeededGenerator(seed: UInt64(number))
    // The first numbers of neighbouring seeds are alike.
    for _ in 0..<4 { _ = chance.next() }
    var world = random(&chance)
    if number >= firstWithOtherIssuer {
      world.addOtherIssuer(&chance)
    } else if number >= firstWithTwin {
      world.addTwin(&chance)
    } else if number >= firstWithShape {
      world.addShape(&chance)
    } else if number >= firstWithChain {
      world.addChain(&chance)
    } else if number >= firstWithLoss {
      world.addLoss(&chance)
    }
    // Chances of their own, so that numbers keep what is random otherwise.
    var others = SeededGenerator(seed: UInt64(number) ^ 0x5EC0_4D00_0000_0000)
    for _ in 0..<4 { _ = others.next() }
    let isFormer = (former + formerNeedless).contains { $0.number == number }
    if number < firstWithChain, !isFormer { world.replaceTrust(&others) }
    return world.withoutSecrets()
  }

  /// From this number on, keys are lost or stolen, and spares are anywhere.
  package static let firstWithLoss = 1_000_000

  /// One certificate in place of another, an exception that is taken away, an anchor that is denied.
  private mutating func replaceTrust(_ chance: inout SeededGenerator) {
    let newest = releases.count - 1
    if old.place == .leaf, chance.once(in: 12) {
      (releases[newest].layer.trust, policy.trust) = (Trust(), Trust())
      releases[newest].layer.trust.certificate = chance.once(in: 4) ? nil : .old
      policy.trust.certificate = chance.once(in: 4) ? nil : .old
    }
    for number in releases.indices where chance.once(in: 3) {
      releases[number].layer.trust.isSecond = releases[number].layer.trust.certificate != nil
    }
    if chance.once(in: 3) { policy.trust.isSecond = policy.trust.certificate != nil }
    if oldLeaf.flaw.excusable != nil, policy.trust.certificate == nil, chance.once(in: 3) {
      (releases[newest].layer.trust.exceptionUntil, policy.trust.exceptionUntil) = (30, nil)
    }
    if !policy.trust.anchors.isEmpty, chance.once(in: 6) {
      policy.deniedRoots = [chance.below(2)]
      if chance.once(in: 2) { releases[newest].layer.deniedRoots = policy.deniedRoots }
    }
  }

  /// From this number on, servers change to a leaf and its issuer at once (`--server HOST=LEAF,CA@DATE`).
  package static let firstWithChain = 2_000_000

  private mutating func addChain(_ chance: inout SeededGenerator) {
    let places: [Place] = [.intermediate, .root]
    let isNewAtLeaf = chance.once(in: 2)
    (old.place, new.place) = isNewAtLeaf ? (chance.pick(places), .leaf) : (.leaf, chance.pick(places))
    // Nobody could know who issued an intermediate of which there is no certificate.
    if old.place == .intermediate { old.form = .certificate }
    if new.place == .intermediate { new.form = .certificate }
    let (leaf, issuer): (Holder, Holder) = isNewAtLeaf ? (.new, .old) : (.old, .new)
    (sendsIntermediates, step) = (true, nil)
    // A new certificate isn't the one of 'certificate:'.
    for number in releases.indices { releases[number].layer.trust.certificate = nil }
    policy.trust.certificate = nil
    change = Change(holder: leaf, day: chance.pick([0, 1, 9, 15]), issuer: issuer)
  }

  private mutating func addLoss(_ chance: inout SeededGenerator) {
    spare = Key(place: chance.pick(Place.allCases), form: chance.pick(Form.allCases))
    // Nobody could know who issued an intermediate of which there is no certificate.
    if spare.place == .intermediate { spare.form = .certificate }
    if new.place == .intermediate { new.form = .certificate }
    let isShown = new.place == .intermediate || layers.contains { $0.trust.intermediates.contains(1) }
    if !isShown { sharesRoot = false }
    // Nor whether a server that needs no intermediate will send one.
    if !authorities[0].usesIntermediate { sendsIntermediates = true }
    step = nil
    if chance.once(in: 4) {
      for number in releases.indices { releases[number].layer.deniesUnpinned = true }
      policy.deniesUnpinned = true
    }
    func addAnchor(_ layer: inout Layer) {
      if !layer.trust.anchors.isEmpty, chance.once(in: 2) { layer.trust.anchors.insert(.root2) }
    }
    for number in releases.indices { addAnchor(&releases[number].layer) }
    addAnchor(&policy)
    guard chance.once(in: 2) else {
      lost = policy.new == .active && chance.once(in: 2) ? .new : .old
      if chance.once(in: 4) { deny(.new) }
      return
    }
    deny(.old)
    // Only evidence shows what is above a leaf.
    if old.place != .leaf { hasEvidence = true }
    if chance.once(in: 2) { policy.new = .active } else { (policy.new, policy.spare) = (.backup, .active) }
  }

  private mutating func deny(_ holder: Holder) {
    policy.denied = [holder]
    policy[holder] = .absent
    change = nil
  }

  private static func random(_ chance: inout SeededGenerator) -> ClientWorld {
    let places = Place.allCases
    let pairs: [(Place, Place)] = places.flatMap { old in places.map { (old, $0) } }
    let (old, new) = chance.once(in: 2) ? (chance.pick(places), chance.pick(places)) : chance.pick(pairs)
    var world = ClientWorld(releases: [], policy: Layer(), old: Key(place: old), new: Key(place: new))
    world.window = chance.pick([10, 10, 30])
    if chance.once(in: 3) { world.old.form = chance.pick(Form.allCases) }
    if chance.once(in: 2) { world.new.form = chance.pick(Form.allCases) }
    if chance.once(in: 8) { world.old.statesPlace = false }
    if chance.once(in: 8) { world.new.statesPlace = false }
    world.hasEvidence = chance.below(5) < 3
    world.sharesRoot = chance.once(in: 3)
    world.newLeafAuthority = chance.once(in: 4) ? 1 : 0
    for number in 0...1 {
      world.authorities[number] = authority(isSpecial: chance.once(in: 3), &chance)
    }
    if chance.once(in: 4) { world.oldLeaf = leaf(&chance) }
    if chance.once(in: 6) { world.newLeaf = leaf(&chance) }
    world.sendsIntermediates = !chance.once(in: 10)
    world.speaksTLS13 = !chance.once(in: 6)
    var layer = layer(world, &chance)
    let count = 1 + chance.below(2)
    var ages: [Int] = []
    for number in 0..<count { ages.append((number == 0 ? 1 : ages[number - 1]) + chance.pick([3, 8, 40])) }
    for age in ages.reversed() {
      world.releases.append(Release(age: age, layer: layer))
      layer = changed(layer, world, &chance)
    }
    world.policy = layer
    if chance.once(in: 3), world.policy.new != .absent { world.step = chance.pick([1, 5, 12, 25]) }
    if chance.once(in: 2) {
      let holder: Holder? = chance.once(in: 6) ? nil : chance.pick([.new, .new, .old])
      world.change = Change(holder: holder, day: chance.pick([0, 1, 9, 15, 35]))
    }
    return world
  }

  private static func authority(isSpecial: Bool, _ chance: inout SeededGenerator) -> Authority {
    var authority = Authority()
    authority.usesIntermediate = !chance.once(in: 3)
    guard isSpecial else { return authority }
    func certificate(_ flaws: [Flaw], _ chance: inout SeededGenerator) -> Certificate {
      Certificate(
        kind: chance.once(in: 2) ? chance.pick(KeyKind.allCases) : .p256,
        flaw: chance.once(in: 2) ? chance.pick(flaws) : .none)
    }
    let common: [Flaw] = [
      .clientAuth, .noCertSign, .noKeyUsage, .noIdentifiers, .excludesHost, .permitsOthers, .ends(-20), .ends(4),
      .ends(8), .ends(20), .begins(6), .begins(60),
    ]
    if chance.once(in: 2) { authority.root = certificate(common + [.noFurtherAuthority], &chance) }
    if chance.once(in: 2) { authority.intermediate = certificate(common, &chance) }
    return authority
  }

  private static func leaf(_ chance: inout SeededGenerator) -> Certificate {
    let flaws: [Flaw] = [.none, .none, .ends(-5), .ends(6), .ends(20), .begins(3), .clientAuth, .otherName]
    return Certificate(kind: chance.pick(KeyKind.allCases), flaw: chance.pick(flaws))
  }

  private static func layer(_ world: ClientWorld, _ chance: inout SeededGenerator) -> Layer {
    var layer = Layer()
    layer.new = chance.pick([.absent, .absent, .backup, .active])
    if chance.once(in: 12), world.old.place != .leaf || world.new.place != .leaf { layer.requiresBoth = true }
    if layer.requiresBoth { layer.new = .active }
    if chance.once(in: 2) { layer.trust = trust(world, &chance) }
    return layer
  }

  private static func trust(_ world: ClientWorld, _ chance: inout SeededGenerator) -> Trust {
    var trust = Trust()
    for _ in 0...chance.below(2) { change(&trust, world, &chance) }
    return trust
  }

  private static func change(_ trust: inout Trust, _ world: ClientWorld, _ chance: inout SeededGenerator) {
    switch chance.below(14) {
    case 0, 1, 2: trust.anchors = [.root0]
    case 3: trust.anchors = [.root0, .root1]
    case 4:
      trust.anchors = chance.pick([
        [.root1], [.system, .root0], [.system], [.intermediate0], [.intermediate1, .root0],
      ])
    case 5: trust.intermediates = [0]
    case 6: trust.intermediates = chance.pick([[0, 1], [1], []])
    case 7:
      trust = Trust()
      trust.certificate = chance.pick([.old, .old, .new])
    case 8: trust.exceptionUntil = trust.exceptionUntil == nil ? chance.pick([5, 12, 30]) : nil
    case 9: trust.otherName.toggle()
    case 10: trust.minimumTLS13.toggle()
    case 11: trust.minimumRSA = trust.minimumRSA == nil ? 3072 : nil
    case 12: trust.minimumEC = trust.minimumEC == nil ? 384 : nil
    default: trust.signatures = chance.pick([["ecdsa"], ["rsa-pss"], ["ecdsa", "rsa-pkcs1"], ["eddsa", "ecdsa"], []])
    }
  }

  /// The next release, mostly with one change.
  private static func changed(_ layer: Layer, _ world: ClientWorld, _ chance: inout SeededGenerator) -> Layer {
    var layer = layer
    switch chance.below(12) {
    case 0, 1, 2: layer.new = layer.new == .absent ? .backup : .active
    case 3: layer.new = chance.pick(Listing.allCases)
    case 4: (layer.old, layer.new) = (chance.pick([.backup, .absent]), .active)
    case 5, 6, 7: change(&layer.trust, world, &chance)
    case 8:
      (layer.expires, layer.onExpiry) = (chance.pick([6, 12, 30]), chance.pick(["block", "report-only", "unpinned"]))
    case 9: layer.requiresBoth.toggle()
    default: break
    }
    return layer
  }
}
