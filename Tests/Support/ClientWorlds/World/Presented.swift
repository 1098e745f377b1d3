import PinFormat

extension ClientWorld {
  /// What a server presents: which key is in its chain, and what is kept of the chain before.
  struct Presented: Hashable {
    var leaf: Mint.Leaf.Use
    /// The authority that issued the leaf.
    var authority: Int
    var isByIntermediate: Bool
    /// Whether the leaf is a new certificate, without the flaw that the policy's file, or what is presented now, has.
    var isRenewed = false
    /// Whether the intermediate is a new certificate for the same key, because the one before has ended.
    var isIntermediateRenewed = false
    /// Whether the leaf is in the second certificate that `certificate:` may name.
    var isSecond = false

    static func of(_ holder: Holder, isSecond: Bool = false) -> Presented {
      Presented(leaf: holder.leaf, authority: -1, isByIntermediate: true, isSecond: isSecond)
    }
  }

  func issuer(ofIntermediate number: Int) -> Int { number == 1 && sharesRoot ? 0 : number }

  /// What the server presented before anything was planned: the old key's chain.
  var oldChain: Presented {
    Presented(leaf: .old, authority: 0, isByIntermediate: authorities[0].usesIntermediate)
  }

  /// What the server presents once a key is in its chain in place of what it presents now; nil for an unknown key.
  ///
  /// The rest of the chain stays: a new leaf comes from the same authority, in the certificate of the policy's file if
  /// that is from there; another authority means another leaf, unless the entry needs that one.
  /// No certificate that has ended comes with it.
  func chain(
    with holder: Holder?, issuer: Holder? = nil, after now: Presented, keepsLeaf: Bool, on instant: Instant
  ) -> Presented {
    var chain = chain(with: holder, after: now, keepsLeaf: keepsLeaf)
    if let holder, let issuer {
      chain = Presented(
        leaf: holder.leaf, authority: issuer.number, isByIntermediate: key(issuer).place == .intermediate,
        isRenewed: true)
    }
    if chain == now { return now }
    if chain.leaf != now.leaf, hasEnded(leaf(chain).flaw, at: instant) { chain.isRenewed = true }
    if chain.isByIntermediate {
      if chain.authority == now.authority {
        chain.isIntermediateRenewed = now.isIntermediateRenewed
      } else if hasEnded(authorities[chain.authority].intermediate.flaw, at: instant) {
        chain.isIntermediateRenewed = true
      }
    }
    return chain
  }

  /// What the server presents later: what has ended since a phase began was renewed in time for the same key.
  ///
  /// Not so a certificate that a release names by `certificate:`, and what the server doesn't send.
  func renewed(_ chain: Presented, since begin: Instant, at instant: Instant) -> Presented {
    func ends(_ flaw: Flaw) -> Bool { hasEnded(flaw, at: instant) && !hasEnded(flaw, at: begin) }
    var chain = chain
    let holder: Holder? = chain.leaf == .old ? .old : chain.leaf == .new ? .new : nil
    let isNamed = layers.contains { $0.trust.certificate != nil && $0.trust.certificate == holder }
    if ends(leaf(chain).flaw), !isNamed {
      chain.isRenewed = true
    }
    if chain.isByIntermediate, sendsIntermediates, ends(authorities[chain.authority].intermediate.flaw) {
      chain.isIntermediateRenewed = true
    }
    return chain
  }

  private func hasEnded(_ flaw: Flaw, at instant: Instant) -> Bool {
    if case .ends(let day) = flaw { Instant.day(day) <= instant } else { false }
  }

  /// The chain of a leaf's file.
  func chain(ofFile holder: Holder) -> Presented {
    let authority = holder == .new ? newLeafAuthority : holder.number
    return Presented(
      leaf: holder.leaf, authority: authority, isByIntermediate: authorities[authority].usesIntermediate)
  }

  private func chain(with holder: Holder?, after now: Presented, keepsLeaf: Bool) -> Presented {
    guard let holder else {
      return Presented(leaf: .other, authority: now.authority, isByIntermediate: now.isByIntermediate)
    }
    let key = key(holder)
    if contains(holder, now) { return now }
    let number = holder.number
    let kept: Mint.Leaf.Use = keepsLeaf ? now.leaf : .other
    switch key.place {
    case .leaf:
      if policy.requiresBoth, hasPairOfFiles, holder == .new, !hasEvidence { return chain(ofFile: holder) }
      let file = holder == .new ? newLeafAuthority : number
      let isFile =
        key.form == .certificate && file == now.authority && authorities[file].usesIntermediate == now.isByIntermediate
      return Presented(
        leaf: holder.leaf, authority: now.authority, isByIntermediate: now.isByIntermediate,
        isRenewed: !isFile)
    case .intermediate: return Presented(leaf: kept, authority: number, isByIntermediate: true, isRenewed: true)
    case .root:
      // The intermediate of a shared root isn't below this root.
      let isByIntermediate = authorities[number].usesIntermediate && issuer(ofIntermediate: number) == number
      return Presented(leaf: kept, authority: number, isByIntermediate: isByIntermediate, isRenewed: true)
    }
  }

  /// All that a server can present in which a key isn't: each leaf that there is, from each authority, in a new
  /// certificate or in the one that the policy has a file of.
  func chains(without lost: Holder) -> [Presented] {
    let leaves = Mint.Leaf.Use.allCases.filter { leaf in
      leaf == .other || Holder.allCases.contains { $0.leaf == leaf && key($0).place == .leaf }
    }
    return leaves.flatMap { leaf in
      authorities.indices.flatMap { authority in
        [true, false].flatMap { isByIntermediate in
          [(false, false), (true, false), (false, true)].map { isRenewed, isSecond in
            Presented(
              leaf: leaf, authority: authority, isByIntermediate: isByIntermediate, isRenewed: isRenewed,
              isSecond: isSecond)
          }
        }
      }
    }.filter { !contains(lost, $0) }
  }

  /// Whether a chain has a key at its place.
  func contains(_ holder: Holder, _ chain: Presented) -> Bool {
    let number = holder.number
    switch key(holder).place {
    case .leaf: return chain.leaf == holder.leaf
    case .intermediate: return chain.isByIntermediate && chain.authority == number
    case .root: return root(of: chain) == number
    }
  }

  func root(of chain: Presented) -> Int {
    guard chain.isByIntermediate else { return chain.authority }
    return crossSent.contains(chain.authority) ? Self.crossSigner : issuer(ofIntermediate: chain.authority)
  }

  /// The leaf's certificate.
  func leaf(_ chain: Presented) -> Mint.Leaf {
    var (authority, isByIntermediate) = (chain.authority, chain.isByIntermediate)
    if authority < 0 {
      authority = chain.leaf == .new ? newLeafAuthority : chain.leaf == .spare ? Holder.spare.number : 0
      isByIntermediate = authorities[authority].usesIntermediate
    }
    let certificate: Certificate =
      switch chain.leaf {
      case .old: oldLeaf
      case .new: newLeaf
      // Who issues a certificate for these clients takes a key and a signature that they accept.
      case .spare, .other: unknown
      }
    return Mint.Leaf(
      use: chain.leaf, authority: authority, isByIntermediate: isByIntermediate, kind: certificate.kind,
      flaw: chain.isRenewed || chain.isSecond ? .none : certificate.flaw, isSecond: chain.isSecond,
      isPSS: policy.trust.signatures == ["rsa-pss"] && (chain.isRenewed || chain.leaf == .other))
  }

  /// A certificate of a key that nothing shows: clients are taken to accept it.
  var unknown: Certificate {
    Certificate(kind: layers.contains { $0.trust.minimumEC != nil } ? .p384 : .p256)
  }

  /// The certificates that the server sends.
  func served(_ chain: Presented, _ mint: Mint) throws -> [[UInt8]] {
    var served = [try mint.leaf(chain, self)]
    if chain.isByIntermediate, sendsIntermediates {
      served.append(
        crossSent.contains(chain.authority)
          ? try mint.crossIntermediate(chain.authority, self)
          : try mint.intermediate(chain.authority, self, isRenewed: chain.isIntermediateRenewed))
    }
    return served
  }
}
