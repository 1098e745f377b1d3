import TestSupport

/// Authorities whose keys are in two certificates: cross-signed ones, and ones that were issued again.
extension ClientWorld {
  /// From this number on.
  package static let firstWithTwin = 4_000_000

  /// The authority that signs other roots.
  static let crossSigner = 2

  mutating func addTwin(_ chance: inout SeededGenerator) {
    // Other flaws and settings are left to other worlds.
    for number in 0...1 {
      authorities[number].root = Certificate()
      authorities[number].intermediate = Certificate()
    }
    if chance.once(in: 2) { crossSign(&chance) } else { issueAgain(&chance) }
  }

  /// A root that has ended, or ends, and whose key another root certified as well.
  private mutating func crossSign(_ chance: inout SeededGenerator) {
    let number = chance.below(2)
    authorities[number].root.flaw = chance.pick([.ends(-20), .ends(-20), .ends(8), .ends(20), .otherIdentifier])
    let anchors: Set<Anchor> = [.roots[number], .root2]
    let trust = Trust(anchors: anchors, crossSigned: [number])
    let choices = [
      trust, trust, trust, Trust(anchors: anchors), Trust(anchors: [.root2], crossSigned: [number]),
      Trust(anchors: [.roots[number]]),
    ]
    for index in releases.indices { releases[index].layer.trust = chance.pick(choices) }
    policy.trust = chance.once(in: 2) ? releases[releases.count - 1].layer.trust : chance.pick(choices)
    if chance.once(in: 4) {
      for index in releases.indices { releases[index].layer.trust.intermediates = [0, 1] }
      policy.trust.intermediates = [0, 1]
    }
  }

  /// An authority's certificate that was issued again for the same key, with another identifier.
  private mutating func issueAgain(_ chance: inout SeededGenerator) {
    let number = chance.below(2)
    if chance.once(in: 3) {
      authorities[number].intermediate.flaw = .otherIdentifier
    } else {
      authorities[number].root.flaw = .otherIdentifier
    }
    let anchors = chance.pick([[], [Anchor.root0, .root1], [.root0], [.root1]])
    let trust = Trust(anchors: Set(anchors), intermediates: chance.pick([[], [], [0, 1], [number]]))
    for index in releases.indices { releases[index].layer.trust = trust }
    policy.trust = trust
    if chance.once(in: 3) { releases[0].layer.trust = Trust() }
  }

  /// From this number on, an authority's key is in certificates of two issuers, or two names.
  package static let firstWithOtherIssuer = 5_000_000

  mutating func addOtherIssuer(_ chance: inout SeededGenerator) {
    for number in 0...1 { authorities[number] = Authority() }
    (oldLeaf, newLeaf, sharesRoot, sendsIntermediates) = (Certificate(), Certificate(), false, true)
    hasEvidence = chance.once(in: 4)
    let number = chance.below(2)
    let key = Key(place: .intermediate, statesPlace: chance.once(in: 2))
    if number == 0 { old = key } else { new = key }
    // Nobody could know who issued an intermediate of which there is no certificate.
    if old.place == .intermediate { old.form = .certificate }
    if new.place == .intermediate { new.form = .certificate }
    let trust: Trust
    if chance.once(in: 2) {
      trust = Trust(
        anchors: chance.pick([[], [.system], [.roots[number], .root2], [.root0, .root1, .root2], [.root2]]),
        intermediates: chance.pick([[], [number]]), crossIntermediates: [number])
      policy.deniedFiles = [chance.pick([.root2, .root2, .root2, .roots[number]])]
      if chance.once(in: 2) { crossSent = [number] }
    } else {
      trust = Trust(
        anchors: chance.pick([[.system], [.roots[number]], [.root0, .root1], [.system, .roots[number]]]),
        intermediates: chance.pick([[], [number]]),
        renamed: [chance.pick([number == 0 ? .intermediate0 : .intermediate1, .roots[number]])])
    }
    for index in releases.indices {
      releases[index].layer.trust = trust
      if chance.once(in: 2) { releases[index].layer.trust.renamed = [] }
      if chance.once(in: 6) { releases[index].layer.deniedFiles = policy.deniedFiles }
    }
    policy.trust = trust
  }
}
