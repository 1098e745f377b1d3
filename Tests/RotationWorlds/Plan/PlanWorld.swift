/// A world in which servers are to change to key 3, written down plainly: numbers for instants and keys.
///
/// Now is tick 0. A key is a number from 1 to 7, of which the enumerated worlds use the first three, and 0 stands for one that nobody knows; a set of keys is a number of
/// which bit k stands for key k.
package struct PlanWorld: Hashable, Sendable {
  /// A release that is out.
  package struct Past: Hashable, Sendable {
    /// At or before now.
    package var issued: Int
    /// The set of each host; an empty one stands for a host that isn't pinned.
    package var keys: [Int]
    /// From when on the whole manifest blocks; nil for never.
    package var staleFrom: Int?
    /// From when on its entries pin nothing; nil for never.
    package var unpinnedFrom: Int?

    package init(issued: Int, keys: [Int], staleFrom: Int? = nil, unpinnedFrom: Int? = nil) {
      self.issued = issued
      self.keys = keys
      self.staleFrom = staleFrom
      self.unpinnedFrom = unpinnedFrom
    }
  }

  /// A host, and what it presents now.
  package struct Host: Hashable, Sendable {
    /// The keys at the leaf, one for each place where a connection may end up.
    package var leaves: [Int]
    /// The key above the leaf; nil where the leaf is all there is.
    package var above: Int?
    /// Whether nobody looked, so that each of the leaves may be all that it presents.
    package var isAssumed: Bool

    package init(_ leaves: [Int], above: Int? = nil, isAssumed: Bool = false) {
      self.leaves = leaves
      self.above = above
      self.isAssumed = isAssumed
    }
  }

  package var window: Int
  package var past: [Past]
  /// The key set of the policy as it stands, which all hosts share.
  package var policy: Int
  /// What is to leave the set.
  package var leaving: Int
  /// Whether the policy and all releases ask for a key at the leaf and one above it.
  package var wantsPair: Bool
  package var hosts: [Host]

  package init(
    window: Int, past: [Past], policy: Int, leaving: Int, wantsPair: Bool = false, hosts: [Host]
  ) {
    self.window = window
    self.past = past
    self.policy = policy
    self.leaving = leaving
    self.wantsPair = wantsPair
    self.hosts = hosts
  }

  package static let target = 3
  static let keys = 1...7

  /// All keys that the newest release or the policy has, and the target.
  package var allKeys: Int { (past.last?.keys.reduce(0, |) ?? 0) | policy | 1 << Self.target }
  /// What the goal leaves.
  package var finalKeys: Int { allKeys & ~leaving }
}

/// One step of a plan for a plain world.
package enum PlainStep: Hashable, Sendable {
  /// A release with this key set.
  case release(Int)
  /// Some hosts, by a set of their indices, present a key at the leaf from then on.
  case serve(hosts: Int, key: Int)
}

/// A step and its date.
package struct DatedStep: Hashable, Sendable {
  package var step: PlainStep
  package var tick: Int

  package init(_ step: PlainStep, at tick: Int) {
    self.step = step
    self.tick = tick
  }
}
