/// All worlds of one kind, by number.
///
/// Two worlds that only differ in something that can't matter count once:
/// - Releases before the newest are superseded, so only how long their successor is out counts, and more than a window is
///   as long as a window; the oldest one's own date counts for nothing.
/// - Hosts that change places, and keys 1 and 2 where they change places everywhere, give the same world in other words.
/// - A key that neither the newest release nor the policy has can't leave.
package struct PlanFamily: Sendable {
  package var name: String
  /// How many combinations of the parts there are.
  package var count: Int
  /// How many worlds they are.
  package var size: Int
  /// The world of a number; nil where it is another's with other words.
  private var make: @Sendable (inout Digits) -> PlanWorld?

  /// The world of a number; nil where another stands for it.
  package func world(_ number: Int) -> PlanWorld? {
    var digits = Digits(rest: number)
    guard let world = make(&digits), world.isFirstOfItsKind else { return nil }
    return world
  }

  /// A number taken apart, to the bases that are asked for.
  struct Digits {
    var rest: Int

    mutating func below(_ base: Int) -> Int {
      defer { rest /= base }
      return rest % base
    }
  }
}

extension PlanFamily {
  /// Two hosts with one key each; no release, or one, or two, each with any set of keys, or not pinning them.
  package static let twoHosts = PlanFamily(name: "two hosts", count: 4 * 8 * 8 * 4 * 3 * 7 * 4 * 16, size: 77_076) {
    digits in
    let window = digits.below(4)
    let sets = [digits.below(8), digits.below(8)]
    let age = digits.below(4)
    let count = digits.below(3)
    guard age <= window, count > 1 || age == 0 && sets[0] == 0, count > 0 || sets[1] == 0 else { return nil }
    let past = [
      PlanWorld.Past(issued: -10, keys: [sets[0] << 1, sets[0] << 1]),
      PlanWorld.Past(issued: -age, keys: [sets[1] << 1, sets[1] << 1]),
    ]
    return PlanWorld(
      window: window, past: Array(past.suffix(count)), policy: (digits.below(7) + 1) << 1,
      leaving: digits.below(4) << 1,
      hosts: [PlanWorld.Host([digits.below(4)]), PlanWorld.Host([digits.below(4)])])
  }

  /// Two hosts that had different sets in older releases.
  package static let unlikeHosts = PlanFamily(
    name: "unlike hosts", count: 2 * 8 * 8 * 4 * 4 * 3 * 3 * 4 * 16, size: 249_520
  ) {
    digits in
    let window = digits.below(2) + 1
    let sets = (0..<2).map { _ in digits.below(8) << 1 } + (0..<2).map { _ in [2, 6, 8, 10][digits.below(4)] }
    let age = digits.below(3)
    guard age <= window else { return nil }
    let past = [
      PlanWorld.Past(issued: -10, keys: [sets[0], sets[1]]), PlanWorld.Past(issued: -age, keys: [sets[2], sets[3]]),
    ]
    return PlanWorld(
      window: window, past: past, policy: [0b0010, 0b1010, 0b0110][digits.below(3)], leaving: digits.below(4) << 1,
      hosts: [PlanWorld.Host([digits.below(4)]), PlanWorld.Host([digits.below(4)])])
  }

  /// One host, and clocks that run out: clients that refuse stale manifests, and entries that pin until a date.
  package static let clocks = PlanFamily(
    name: "clocks", count: 3 * 8 * 8 * 3 * 4 * 3 * 4 * 3 * 3 * 4 * 4, size: 1_042_176
  ) {
    digits in
    let window = digits.below(3)
    let sets = [digits.below(8) << 1, digits.below(8) << 1]
    let age = digits.below(3)
    func clock() -> Int? { [nil, 1, 3][digits.below(3)] }
    // A release may be stale already.
    func stale() -> Int? { [nil, -1, 1, 3][digits.below(4)] }
    guard age <= window else { return nil }
    let past = [
      PlanWorld.Past(issued: -10, keys: [sets[0]], staleFrom: stale(), unpinnedFrom: clock()),
      PlanWorld.Past(issued: -age, keys: [sets[1]], staleFrom: stale(), unpinnedFrom: clock()),
    ]
    guard past.allSatisfy({ $0.keys != [0] || $0.unpinnedFrom == nil }) else { return nil }
    return PlanWorld(
      window: window, past: past, policy: [0b0010, 0b1010, 0b0110][digits.below(3)], leaving: digits.below(4) << 1,
      hosts: [PlanWorld.Host([digits.below(4)])])
  }

  /// One host with a key above the leaf, with one key or a pair of them asked for, and with one leaf or one of two, seen
  /// or assumed.
  package static let chains = PlanFamily(name: "chains", count: 3 * 8 * 8 * 3 * 7 * 4 * 2 * 3 * 8 * 2, size: 181_728) {
    digits in
    let window = digits.below(3)
    let sets = [digits.below(8) << 1, digits.below(8) << 1]
    let age = digits.below(3)
    guard age <= window else { return nil }
    let policy = (digits.below(7) + 1) << 1
    let leaving = digits.below(4) << 1
    let wantsPair = digits.below(2) == 1
    let past = [
      PlanWorld.Past(issued: -10, keys: [sets[0]], wantsPair: wantsPair),
      PlanWorld.Past(issued: -age, keys: [sets[1]], wantsPair: wantsPair),
    ]
    let above = digits.below(3)
    let leaves = [[0], [1], [2], [3], [1, 2], [1, 3], [0, 3], [2, 3]][digits.below(8)]
    let isAssumed = digits.below(2) == 1
    guard !isAssumed || leaves.count > 1 else { return nil }
    let world = PlanWorld(
      window: window, past: past, policy: policy, leaving: leaving, wantsPair: wantsPair,
      hosts: [PlanWorld.Host(leaves, above: above == 0 ? nil : above - 1, isAssumed: isAssumed)])
    // Without a pinned key above the target, no release accepts it.
    guard !wantsPair || above > 0 && world.finalKeys >> (above - 1) & 1 != 0 else { return nil }
    return world
  }

  /// One host whose certificates fail, or are excused for a time; or beside one that the rotation isn't about.
  package static let untidy = PlanFamily(name: "untidy", count: 3 * 8 * 8 * 7 * 4 * 4 * 16, size: 70_464) { digits in
    let (window, age) = [(0, 0), (2, 0), (2, 1)][digits.below(3)]
    let sets = [digits.below(8) << 1, digits.below(8) << 1]
    let past = [PlanWorld.Past(issued: -10, keys: [sets[0]]), PlanWorld.Past(issued: -age, keys: [sets[1]])]
    var world = PlanWorld(
      window: window, past: past, policy: (digits.below(7) + 1) << 1, leaving: digits.below(4) << 1,
      hosts: [PlanWorld.Host([digits.below(4)])])
    let kind = digits.below(16)
    switch kind {
    case 0: world.hosts[0].health = .failing
    case 1: world.hosts[0].health = .failingWithoutEnd
    case 2: world.hosts[0].health = .excused(until: 1)
    case 3: world.hosts[0].health = .excused(until: 3)
    default:
      guard age == 1 else { return nil }
      world.bystander = PlanWorld.Bystander(
        isInNewest: kind % 2 == 1, presentsItsKey: kind / 2 % 2 == 1,
        health: [PlanWorld.Health.fine, .failing, .failingWithoutEnd][kind / 4 - 1])
    }
    return world
  }

  /// One host, and releases that accept only some keys as anchors, or one as the leaf's certificate, whatever they pin.
  package static let limits = PlanFamily(name: "limits", count: 3 * 4 * 4 * 4 * 2 * 2 * 4 * 4 * 4 * 2 * 2, size: 96_768)
  { digits in
    let (window, age) = [(0, 0), (2, 0), (2, 1)][digits.below(3)]
    let present = 1 + digits.below(2)
    func keys() -> Int { [1 << present, 0b0110, 1 << present | 0b1000, 0b1110][digits.below(4)] }
    // Each accepts what the host presents now.
    func limit() -> Int? { [nil, 1 << present, 0b0110, 1 << present | 0b1000][digits.below(4)] }
    let older = PlanWorld.Past(issued: -10, keys: [keys()], limit: limit())
    let newest = PlanWorld.Past(issued: -age, keys: [keys()], limit: limit())
    let (policy, own) = (keys(), limit())
    guard older.limit != nil || newest.limit != nil || own != nil else { return nil }
    let isOfAnchors = digits.below(2) == 1
    var world = PlanWorld(
      window: window, past: [older, newest], policy: policy, leaving: digits.below(2) << present,
      hosts: [PlanWorld.Host(chains: [isOfAnchors ? [0, present] : [present]], isAssumed: digits.below(2) == 1)])
    world.limit = own
    if isOfAnchors { world.authorities = 0b1110 }
    return world
  }

  package static let all = [twoHosts, unlikeHosts, clocks, chains, untidy, limits]
}

extension PlanWorld {
  /// Whether no world that says the same in other words comes before this one.
  fileprivate var isFirstOfItsKind: Bool {
    guard leaving & ~allKeys == 0 else { return false }
    let written = written
    return [exchangingHosts, exchangingKeys, exchangingHosts.exchangingKeys].allSatisfy {
      !$0.written.lexicographicallyPrecedes(written)
    }
  }

  private var written: [Int] {
    past.flatMap(\.keys) + past.map { $0.limit ?? -1 } + [policy, leaving, limit ?? -1]
      + hosts.flatMap { $0.chains.map { $0[0] } + ($0.chains[0].dropFirst() + [-1]) }
  }

  private var exchangingHosts: PlanWorld {
    var world = self
    world.hosts.reverse()
    for number in past.indices { world.past[number].keys.reverse() }
    return world
  }

  private var exchangingKeys: PlanWorld {
    func set(_ keys: Int) -> Int { keys & ~0b110 | keys >> 1 & 0b010 | keys << 1 & 0b100 }
    func key(_ key: Int) -> Int { key == 1 ? 2 : key == 2 ? 1 : key }
    var world = self
    for number in past.indices { world.past[number].keys = past[number].keys.map(set) }
    for number in past.indices { world.past[number].limit = past[number].limit.map(set) }
    world.limit = limit.map(set)
    world.policy = set(policy)
    world.leaving = set(leaving)
    for number in hosts.indices {
      world.hosts[number].chains = hosts[number].chains.map { $0.map(key) }.sorted { $0.lexicographicallyPrecedes($1) }
    }
    return world
  }
}
