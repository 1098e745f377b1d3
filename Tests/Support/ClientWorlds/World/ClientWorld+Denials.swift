import TestSupport

extension ClientWorld {
  /// The candidate denies an authority by its file, and of the leaves only keys are known.
  mutating func denyAboveLeaves(_ chance: inout SeededGenerator) {
    for number in authorities.indices {
      authorities[number].usesIntermediate = chance.once(in: 2)
      (authorities[number].root, authorities[number].intermediate) = (Certificate(), Certificate())
    }
    (old, oldLeaf, newLeaf) = (Key(place: .leaf, form: .pin), Certificate(), Certificate())
    (new, newLeafAuthority) = (Key(place: .leaf, form: chance.pick([.pin, .publicKey])), chance.below(2))
    hasEvidence = chance.once(in: 4)
    let trust = Trust(anchors: chance.pick([[], [.root0], [.root0, .root1], [.intermediate0, .root1]]))
    for number in releases.indices {
      releases[number].layer = Layer(new: chance.pick([.absent, .backup]), trust: trust)
    }
    policy = Layer(new: chance.pick([.absent, .backup, .active]), trust: trust)
    policy.deniedFiles = [chance.pick([.root0, .root1, .intermediate0, .intermediate1])]
    if chance.once(in: 4) { releases[releases.count - 1].layer.deniedFiles = policy.deniedFiles }
    step = policy.new == .active && chance.once(in: 2) ? chance.pick([12, 35]) : nil
    change = policy.new != .absent && chance.once(in: 3) ? Change(holder: .new, day: 35) : nil
  }
}
