import TestSupport

/// Shapes that are too rare by chance.
extension ClientWorld {
  /// From this number on.
  package static let firstWithShape = 3_000_000

  mutating func addShape(_ chance: inout SeededGenerator) {
    switch chance.below(6) {
    case 0: pairFiles(&chance)
    case 1: denyIssuers(&chance)
    case 2: endLate(&chance)
    case 3: takeOut(&chance)
    case 4: denyAboveLeaves(&chance)
    default: limit(&chance)
    }
  }

  /// Whether a leaf's file shows who issued it, where the entry needs the leaf and a CA.
  var hasPairOfFiles: Bool { new.place == .leaf && new.form == .certificate && old.place != .leaf }

  /// A leaf whose file comes from another CA than the one that the entry needs, or from the same.
  private mutating func pairFiles(_ chance: inout SeededGenerator) {
    old = Key(place: chance.pick([.intermediate, .root]))
    new = Key(place: .leaf)
    spare = Key(place: .leaf, form: .pin)
    hasEvidence = false
    (oldLeaf, newLeaf, newLeafAuthority) = (Certificate(), Certificate(), chance.below(2))
    for number in 0...1 {
      (authorities[number].root, authorities[number].intermediate) = (Certificate(), Certificate())
    }
    // The file's chain is known as a whole, or nobody could say that the CA isn't in it.
    let trust = Trust(anchors: [.root0, .root1], intermediates: [0, 1])
    func pair(_ layer: inout Layer) {
      layer = Layer(old: .active, new: .backup, spare: .active, trust: trust, requiresBoth: true)
    }
    for number in releases.indices { pair(&releases[number].layer) }
    pair(&policy)
    if chance.once(in: 2) { (policy.new, policy.spare) = (.active, .backup) }
    step = policy.new == .active && chance.once(in: 2) ? chance.pick([12, 35]) : nil
    change = policy.new != .absent && chance.once(in: 3) ? Change(holder: .new, day: 35) : nil
  }

  /// The candidate denies an authority by its file: perhaps the one above a leaf whose file is listed.
  private mutating func denyIssuers(_ chance: inout SeededGenerator) {
    let isOld = chance.once(in: 2)
    if isOld { old = Key(place: .leaf) } else { new = Key(place: .leaf) }
    let number = isOld ? 0 : newLeafAuthority
    policy.deniedFiles = [
      chance.pick(number == 0 ? [Anchor.root0, .intermediate0] : [.root1, .intermediate1])
    ]
    if chance.once(in: 4) { releases[releases.count - 1].layer.deniedFiles = policy.deniedFiles }
    if chance.once(in: 2) {
      for number in releases.indices { releases[number].layer.trust.intermediates = [0, 1] }
      policy.trust.intermediates = [0, 1]
    }
    // A key can't be listed and denied.
    for holder in [Holder.old, .new] where key(holder).place != .leaf {
      let anchor: Anchor =
        key(holder).place == .root ? .roots[holder.number] : holder == .old ? .intermediate0 : .intermediate1
      policy.deniedFiles.remove(anchor)
      for number in releases.indices { releases[number].layer.deniedFiles.remove(anchor) }
    }
  }

  /// An authority that ends while clients use the last release of a plan.
  private mutating func endLate(_ chance: inout SeededGenerator) {
    let trust = Trust(anchors: chance.pick([[], [.root0, .root1], [.root0, .root1]]))
    for number in releases.indices {
      releases[number].layer = Layer(new: chance.pick([.absent, .backup]), trust: trust)
    }
    policy = Layer(new: chance.pick([.backup, .backup, .absent]), trust: trust)
    (step, change, oldLeaf, newLeaf) = (nil, nil, Certificate(), Certificate())
    (sendsIntermediates, speaksTLS13) = (true, true)
    for number in 0...1 {
      (authorities[number].root, authorities[number].intermediate) = (Certificate(), Certificate())
    }
    let flaw = Flaw.ends(chance.pick([12, 25, 35, 45]))
    let number = new.place == .leaf ? 0 : chance.below(2)
    if chance.once(in: 3) {
      authorities[number].intermediate.flaw = flaw
    } else {
      authorities[number].root.flaw = flaw
    }
  }

  /// An entry with `mode: off`, and what clients do with hosts without pins.
  private mutating func takeOut(_ chance: inout SeededGenerator) {
    for number in releases.indices {
      releases[number].layer.isOff = chance.once(in: 2)
      releases[number].layer.deniesUnpinned = chance.once(in: 3)
    }
    // No server of such an entry is known.
    (step, change) = (nil, nil)
    policy.isOff = chance.once(in: 2)
    policy.deniesUnpinned = chance.once(in: 2)
  }

  /// A limit of a release, and a new key that doesn't meet it.
  private mutating func limit(_ chance: inout SeededGenerator) {
    var trust = Trust()
    switch chance.below(4) {
    case 0:
      trust.minimumRSA = 3072
      let small = Certificate(kind: .rsa2048)
      switch new.place {
      case .leaf: newLeaf = small
      case .intermediate: authorities[1].intermediate = small
      case .root: authorities[1].root = small
      }
    case 1:
      trust.otherName = true
      if new.place == .leaf {
        newLeaf.flaw = .none
      } else {
        (authorities[1].root.flaw, sharesRoot) = (.excludesOtherName, false)
      }
    case 2:
      trust.minimumTLS13 = true
      (speaksTLS13, hasEvidence) = (false, true)
    default:
      trust.minimumEC = 384
      if new.place == .leaf { newLeaf.kind = .p256 }
    }
    let isAhead = chance.once(in: 2)
    if isAhead { policy.trust = trust } else { releases[releases.count - 1].layer.trust = trust }
    if chance.once(in: 2) { (policy.trust, releases[releases.count - 1].layer.trust) = (trust, trust) }
    new.form = chance.pick([.certificate, .certificate, .publicKey])
    if new.place != .leaf { new.form = .certificate }
  }
}
