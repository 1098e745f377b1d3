/// A world in which servers are to change to key 3, written down plainly: numbers for instants and keys.
///
/// Now is tick 0. A key is a number from 1 to 7, of which the enumerated worlds use the first three, and 0 stands for one
/// that nobody knows; a set of keys is a number of which bit k stands for key k.
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
    /// Whether it asks for a key at the leaf and one above it.
    package var wantsPair: Bool
    /// Whether its clients only report mismatches.
    package var onlyReports: Bool
    /// The keys that its `trust` accepts; nil for all.
    ///
    /// Of authorities these are anchors, of leaves the one of `certificate:`.
    package var limit: Int?

    package init(
      issued: Int, keys: [Int], staleFrom: Int? = nil, unpinnedFrom: Int? = nil, wantsPair: Bool = false,
      onlyReports: Bool = false, limit: Int? = nil
    ) {
      self.issued = issued
      self.keys = keys
      self.staleFrom = staleFrom
      self.unpinnedFrom = unpinnedFrom
      self.wantsPair = wantsPair
      self.onlyReports = onlyReports
      self.limit = limit
    }
  }

  /// What is wrong with the certificates that a host presents, whatever their keys.
  package enum Health: Hashable, Sendable {
    case fine
    /// Trust evaluation fails: of a chain to its root, or of one that leads to no known end.
    case failing
    case failingWithoutEnd
    /// An exception excuses it until a tick.
    case excused(until: Int)
  }

  /// A host, and what it presents now.
  package struct Host: Hashable, Sendable {
    /// Keys from the leaf upwards, one chain for each place where a connection may end up.
    package var chains: [[Int]]
    /// Whether nobody looked, so that each of the chains may be all that it presents.
    package var isAssumed: Bool
    package var health = Health.fine
    /// Whether the policy pins it.
    package var isInPolicy = true
    /// Whether the policy is the first to pin it, and by the entry of a host above.
    package var isGained = false

    package init(chains: [[Int]], isAssumed: Bool) {
      self.chains = chains
      self.isAssumed = isAssumed
    }

    package init(_ leaves: [Int], above: Int? = nil, isAssumed: Bool = false) {
      self.init(chains: leaves.map { [$0] + (above.map { [$0] } ?? []) }, isAssumed: isAssumed)
    }
  }

  /// A host with a key set of its own, ``PlanWorld/otherKey``, which the rotation isn't about.
  package struct Bystander: Hashable, Sendable {
    /// Whether the newest release pins it; the policy does.
    package var isInNewest: Bool
    package var presentsItsKey: Bool
    package var health: Health

    package init(isInNewest: Bool, presentsItsKey: Bool, health: Health) {
      self.isInNewest = isInNewest
      self.presentsItsKey = presentsItsKey
      self.health = health
    }
  }

  package var window: Int
  package var past: [Past]
  /// The key set of the current policy, which all hosts share.
  package var policy: Int
  /// What is to leave the set.
  package var leaving: Int
  /// Whether the policy, and so each release of a plan, asks for a key at the leaf and one above it.
  package var wantsPair: Bool
  /// Whether the policy only reports mismatches.
  package var onlyReports = false
  /// The keys that the `trust` of the policy, and so of each release of a plan, accepts; nil for all.
  package var limit: Int?
  /// The keys above the leaf, each as a root.
  package var authorities = 0
  package var hosts: [Host]
  package var bystander: Bystander?

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
  package static let otherKey = 9
  static let keys = 1...7

  /// All keys that the newest release or the policy has, and the target.
  package var allKeys: Int {
    let published = zip(past.last?.keys ?? [], hosts).filter(\.1.isInPolicy).map(\.0)
    return published.reduce(0, |) | policy | 1 << Self.target
  }
  /// What the goal leaves.
  package var finalKeys: Int { allKeys & ~leaving }

  /// What a chain becomes when its host changes to a key.
  func changed(_ chain: [Int], to key: Int) -> [Int] {
    if isChanged(chain, to: key) { return chain }
    return isAuthority(key) ? [wantsPair ? chain[0] : 0, key] : [key] + chain.dropFirst()
  }

  /// Whether a chain has the key at its position already.
  func isChanged(_ chain: [Int], to key: Int) -> Bool {
    isAuthority(key) ? chain.dropFirst().contains(key) : chain[0] == key
  }

  /// Whether a limit accepts a chain, whatever pins say: where there are authorities, it is about where the chain ends.
  func accepts(_ chain: [Int], _ limit: Int?) -> Bool {
    guard let limit, let key = authorities == 0 ? chain.first : chain.last else { return true }
    return limit >> key & 1 != 0
  }

  func isAuthority(_ key: Int) -> Bool { authorities >> key & 1 != 0 }
}

/// One step of a plan for a plain world.
package enum PlainStep: Hashable, Sendable {
  /// A release with this key set.
  case release(Int)
  /// Some hosts, by a set of their indices, present a key from then on.
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
