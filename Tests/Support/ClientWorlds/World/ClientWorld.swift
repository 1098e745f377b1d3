/// A tiny policy with real certificates behind it, the releases before it, one server, and what is planned.
///
/// There is one host and one key set with three keys: `old`, which the server has had all along, `new`, and `spare`.
/// Their authorities, 0 to 2, each have a root and an intermediate. An instant is a number of days from now.
package struct ClientWorld: Hashable, Sendable {
  package enum Place: String, CaseIterable, Sendable { case leaf, intermediate, root }

  /// How the policy names a key.
  package enum Form: String, CaseIterable, Sendable { case pin, publicKey, certificate }

  package enum Listing: String, CaseIterable, Sendable { case absent, active, backup }

  package enum KeyKind: String, CaseIterable, Sendable {
    case p256, p384, rsa2048, rsa3072, ed25519
    /// RSA with an exponent that no client accepts; only in single cases.
    case rsaEvenExponent

    package static let allCases: [KeyKind] = [.p256, .p384, .rsa2048, .rsa3072, .ed25519]
  }

  /// What may be wrong with a certificate.
  package enum Flaw: Hashable, Sendable {
    case none
    case clientAuth, noCertSign, noKeyUsage, noIdentifiers, excludesHost, permitsOthers, noFurtherAuthority
    /// One identifier less, where `noIdentifiers` has neither; only in single cases.
    case noSubjectIdentifier, noAuthorityIdentifier
    case otherName
    /// An authority that may not certify the name of `server-name:`; only in single cases.
    case excludesOtherName
    /// An authority's certificate that was issued again, with another identifier than what its key signed names.
    case otherIdentifier
    case ends(Int)
    case begins(Int)
  }

  package struct Certificate: Hashable, Sendable {
    package var kind = KeyKind.p256
    package var flaw = Flaw.none
  }

  package struct Authority: Hashable, Sendable {
    package var root = Certificate()
    package var intermediate = Certificate()
    /// Whether leaves come from the intermediate, not from the root itself.
    package var usesIntermediate = true
  }

  package struct Key: Hashable, Sendable {
    package var place: Place
    package var form = Form.certificate
    package var statesPlace = true
  }

  package enum Anchor: String, CaseIterable, Sendable, Comparable {
    case root0, root1, root2, intermediate0, intermediate1, system

    static let roots: [Anchor] = [.root0, .root1, .root2]

    package static func < (left: Anchor, right: Anchor) -> Bool { left.rawValue < right.rawValue }
  }

  /// What an entry's `trust` says.
  package struct Trust: Hashable, Sendable {
    package var anchors: Set<Anchor> = []
    package var intermediates: Set<Int> = []
    /// The authorities whose roots' keys are in `intermediates:` as well, in certificates that root 2 signed.
    package var crossSigned: Set<Int> = []
    /// The same of their intermediates' keys.
    package var crossIntermediates: Set<Int> = []
    /// Anchors with the keys of other authorities, under other names.
    package var renamed: Set<Anchor> = []
    /// `certificate:` is the file of the old leaf, or of the new one.
    package var certificate: Holder?
    /// Whether it is a second certificate for the same key.
    package var isSecond = false
    package var exceptionUntil: Int?
    /// Whose leaf the exception is for.
    package var excused = Holder.old
    package var otherName = false
    package var minimumTLS13 = false
    package var minimumRSA: Int?
    package var minimumEC: Int?
    package var signatures: [String] = []
  }

  package enum Holder: String, CaseIterable, Sendable {
    case old, new, spare

    /// The number of the authority that the key belongs to, if it isn't a leaf's.
    var number: Int {
      switch self {
      case .old: 0
      case .new: 1
      case .spare: 2
      }
    }

    var leaf: Mint.Leaf.Use {
      switch self {
      case .old: .old
      case .new: .new
      case .spare: .spare
      }
    }
  }

  /// What the policy, or a release, says.
  package struct Layer: Hashable, Sendable {
    package var old = Listing.active
    package var new = Listing.absent
    package var spare = Listing.backup
    /// Keys that are denied, and then in no list.
    package var denied: Set<Holder> = []
    /// The authorities whose roots' keys are denied, by pins that are in no list.
    package var deniedRoots: Set<Int> = []
    /// Authorities' keys that are denied by their certificates' files.
    package var deniedFiles: Set<Anchor> = []
    /// The authorities whose roots' keys are active beside the three keys; only in single cases.
    package var pinnedRoots: Set<Int> = []
    package var trust = Trust()
    package var requiresBoth = false
    package var expires: Int?
    package var onExpiry = "report-only"
    /// Whether the entry has `mode: off`.
    package var isOff = false
    /// Whether the manifest has `unpinned-hosts: deny`.
    package var deniesUnpinned = false

    subscript(_ holder: Holder) -> Listing {
      get {
        switch holder {
        case .old: old
        case .new: new
        case .spare: spare
        }
      }
      set {
        switch holder {
        case .old: old = newValue
        case .new: new = newValue
        case .spare: spare = newValue
        }
      }
    }
  }

  package struct Release: Hashable, Sendable {
    /// How many days ago it was released.
    package var age: Int
    package var layer: Layer
  }

  package struct Change: Hashable, Sendable {
    package var holder: Holder?
    package var day: Int
    /// The authority that issues the leaf from then on, if the change names a chain of two keys.
    package var issuer: Holder?

    package init(holder: Holder?, day: Int, issuer: Holder? = nil) {
      self.holder = holder
      self.day = day
      self.issuer = issuer
    }
  }

  package var window = 10
  package var releases: [Release]
  package var policy: Layer
  package var old: Key
  package var new: Key
  package var spare = Key(place: .leaf, form: .pin)
  /// Those of the old key and of the new one, and a sound one for the spare.
  package var authorities = [Authority(), Authority(), Authority()]
  /// Whether authority 0's root signed intermediate 1.
  package var sharesRoot = false
  package var oldLeaf = Certificate()
  package var newLeaf = Certificate()
  /// Which authority the file of the new leaf comes from.
  package var newLeafAuthority = 0
  package var sendsIntermediates = true
  /// The authorities of whose intermediates servers send the certificate that root 2 signed.
  package var crossSent: Set<Int> = []
  package var speaksTLS13 = true
  package var hasEvidence = true
  /// From when on servers present the new key, by the policy's `steps:`.
  package var step: Int?
  /// `simulate --server`.
  package var change: Change?
  /// `simulate --lose`.
  package var lost: Holder?
}

extension ClientWorld {
  package var layers: [Layer] { releases.map(\.layer) + [policy] }

  func key(_ holder: Holder) -> Key {
    switch holder {
    case .old: old
    case .new: new
    case .spare: spare
    }
  }

  /// The same without flaws that nobody who asks can know: of certificates that neither the policy nor evidence shows.
  ///
  /// A key of which only the pin is known is assumed to be one that all clients verify, in a sound certificate.
  package func withoutSecrets() -> ClientWorld {
    var world = self
    // Which pairs of leaf and authority a server may have is left to worlds with evidence.
    let isShown = hasPairOfFiles && releases[releases.count - 1].layer.requiresBoth
    if layers.contains(where: \.requiresBoth), !isShown { world.hasEvidence = true }
    return world.withoutHiddenFlaws()
  }

  private func withoutHiddenFlaws() -> ClientWorld {
    var world = self
    let anchors = layers.reduce(into: Set<Anchor>()) { $0.formUnion($1.trust.anchors) }
    let intermediates = layers.reduce(into: Set<Int>()) { $0.formUnion($1.trust.intermediates) }
    let certificates = Set(layers.compactMap(\.trust.certificate))
    func isFile(_ key: Key, _ place: Place) -> Bool { key.place == place && key.form == .certificate }
    for number in 0...1 {
      let key = number == 0 ? old : new
      let isShown = hasEvidence && number == 0
      if !isShown && !isFile(key, .root) && !anchors.contains(Anchor.roots[number]) {
        world.authorities[number].root = unknown
      }
      let isSent = isShown && sendsIntermediates && authorities[0].usesIntermediate
      if !isSent && !isFile(key, .intermediate) && !intermediates.contains(number)
        && !anchors.contains(number == 0 ? .intermediate0 : .intermediate1)
      {
        world.authorities[number].intermediate = unknown
      }
    }
    // A raw pin's certificate may have any flaw, but that of a public key shows its kind.
    let isExcused = layers.contains { $0.trust.exceptionUntil != nil }
    if !hasEvidence && !certificates.contains(.old) && !isFile(old, .leaf) && !isExcused {
      world.oldLeaf.flaw = .none
      if old.place != .leaf || old.form == .pin { world.oldLeaf.kind = unknown.kind }
    }
    if !isFile(new, .leaf) && !certificates.contains(.new) {
      world.newLeaf.flaw = .none
      if new.place != .leaf || new.form == .pin { world.newLeaf.kind = unknown.kind }
      world.newLeafAuthority = 0
    }
    if old.place == .intermediate { world.authorities[0].usesIntermediate = true }
    if new.place == .intermediate { world.authorities[1].usesIntermediate = true }
    // Where only evidence shows it, and there is none, the server sends what clients need.
    if !hasEvidence || !authorities[0].usesIntermediate { world.sendsIntermediates = true }
    // Without a position, the key of a public key file is at the leaf, and that of a pin where evidence has it.
    if new.form != .certificate, new.place != .leaf { world.new.statesPlace = true }
    if old.form == .publicKey || !hasEvidence && old.form == .pin, old.place != .leaf { world.old.statesPlace = true }
    for number in 0...1 {
      let key = number == 0 ? old : new
      let isShown =
        isFile(key, .intermediate) || intermediates.contains(number) || hasEvidence && number == 0
        || anchors.contains(number == 0 ? .intermediate0 : .intermediate1) || key.place == .intermediate
      // An authority whose root may have none below it, or for a server that sends none, issues leaves itself, unless
      // something shows that it doesn't.
      if !isShown, world.authorities[number].root.flaw == .noFurtherAuthority || !world.sendsIntermediates {
        world.authorities[number].usesIntermediate = false
      }
    }
    // Who certified an intermediate that nothing shows is one of the only anchors, and one that clients accept.
    func isHidden(_ key: Key, _ number: Int) -> Bool {
      key.place == .intermediate && key.form != .certificate && !intermediates.contains(number)
        && !anchors.contains(number == 0 ? .intermediate0 : .intermediate1)
    }
    if isHidden(new, 1) {
      let only = layers.map(\.trust.anchors).filter { !$0.isEmpty && !$0.contains(.system) }
      if only.contains(where: { !$0.contains(.root1) && $0.contains(.root0) }) { world.sharesRoot = true }
      world.authorities[world.issuer(ofIntermediate: 1)].root.flaw = .none
    }
    if isHidden(old, 0), !hasEvidence { world.authorities[0].root.flaw = .none }
    // Nor who is above a leaf, but for an entry's only anchors.
    func hide(_ layer: inout Layer) {
      guard !layer.deniedRoots.isEmpty else { return }
      let isOnly = !layer.trust.anchors.isEmpty && layer.trust.anchors.isSubset(of: Anchor.roots)
      layer.deniedRoots = layer.deniedRoots.filter { number in
        isOnly && layer.trust.anchors.contains(Anchor.roots[number])
          && !Holder.allCases.contains { key($0).place == .root && $0.number == number }
      }
    }
    for number in world.releases.indices { hide(&world.releases[number].layer) }
    hide(&world.policy)
    // Or what a leaf's file, evidence or the policy's files lead to.
    var shown: Set<Anchor> = hasEvidence ? [.root0, .intermediate0] : []
    // Of a leaf without one, commands say that nobody knows.
    for (holder, number) in [(Holder.old, 0), (.new, newLeafAuthority)]
    where key(holder).place == .leaf && !isFile(key(holder), .leaf) {
      shown.formUnion(number == 0 ? [.root0, .intermediate0] : [.root1, .intermediate1])
    }
    for (holder, number) in [(Holder.old, 0), (.new, newLeafAuthority)]
    where isFile(key(holder), .leaf) && layers.contains(where: { $0[holder] != .absent }) {
      if world.authorities[number].usesIntermediate {
        shown.insert(number == 0 ? .intermediate0 : .intermediate1)
        guard layers.allSatisfy({ $0.trust.intermediates.contains(number) }) else { continue }
      }
      shown.insert(
        Anchor.roots[world.authorities[number].usesIntermediate ? world.issuer(ofIntermediate: number) : number])
    }
    for number in layers.reduce(into: Set<Int>(), { $0.formUnion($1.trust.crossIntermediates) }) {
      shown.formUnion([.root2, .roots[number]])
    }
    for number in world.releases.indices { world.releases[number].layer.deniedFiles.formIntersection(shown) }
    world.policy.deniedFiles.formIntersection(shown)
    return world
  }
}
