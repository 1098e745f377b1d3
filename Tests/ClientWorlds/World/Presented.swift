extension ClientWorld {
  /// What a server presents: which key is in its chain, and what is kept of the chain before.
  struct Presented: Hashable {
    var leaf: Mint.Leaf.Use
    /// The authority that issued the leaf.
    var authority: Int
    var isByIntermediate: Bool
    /// Whether the leaf is a new certificate, without the flaw that the policy's file, or what is presented now, has.
    var isRenewed = false

    static func of(_ holder: Holder) -> Presented {
      Presented(leaf: holder.leaf, authority: -1, isByIntermediate: true)
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
  func chain(with holder: Holder?, after now: Presented, keepsLeaf: Bool) -> Presented {
    guard let holder else {
      return Presented(leaf: .other, authority: now.authority, isByIntermediate: now.isByIntermediate)
    }
    let key = key(holder)
    if contains(holder, now) { return now }
    let number = holder.number
    let kept: Mint.Leaf.Use = keepsLeaf ? now.leaf : .other
    switch key.place {
    case .leaf:
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
          [true, false].map {
            Presented(leaf: leaf, authority: authority, isByIntermediate: isByIntermediate, isRenewed: $0)
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
    chain.isByIntermediate ? issuer(ofIntermediate: chain.authority) : chain.authority
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
      case .spare, .other: Certificate()
      }
    return Mint.Leaf(
      use: chain.leaf, authority: authority, isByIntermediate: isByIntermediate, kind: certificate.kind,
      flaw: chain.isRenewed ? .none : certificate.flaw,
      // Who issues a certificate for these clients takes the signature that they accept.
      isPSS: policy.trust.signatures == ["rsa-pss"] && (chain.isRenewed || chain.leaf == .other))
  }

  /// The certificates that the server sends.
  func served(_ chain: Presented, _ mint: Mint) throws -> [[UInt8]] {
    var served = [try mint.leaf(chain, self)]
    if chain.isByIntermediate, sendsIntermediates { served.append(try mint.intermediate(chain.authority, self)) }
    return served
  }
}
