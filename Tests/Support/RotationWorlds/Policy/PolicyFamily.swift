/// All policy worlds of one kind, by number.
///
/// Worlds that only differ in the names of keys that stand at the same place count once.
package struct PolicyFamily: Sendable {
  package var name: String
  /// How many combinations of the parts there are.
  package var count: Int
  /// How many worlds they are.
  package var size: Int
  private var make: @Sendable (inout PlanFamily.Digits) -> PolicyWorld?

  /// The world of a number; nil if the parts don't go together, or if another world stands for it.
  package func world(_ number: Int) -> PolicyWorld? {
    var digits = PlanFamily.Digits(rest: number)
    guard let world = make(&digits), world.isFirstOfItsKind else { return nil }
    return world
  }
}

extension PolicyFamily {
  package static let all = [words, releases, hosts, changes, observed]

  private typealias State = (listing: PolicyWorld.Listing, word: PolicyWorld.Word)

  /// No release, and keys of which their owners say all that can be said.
  package static let words: PolicyFamily = {
    let states: [State] = [
      (.absent, .nothing), (.absent, .soon), (.active, .nothing), (.active, .servedSince), (.active, .soon),
      (.active, .later), (.active, .servedAndSoon), (.backup, .nothing), (.backup, .servedSince), (.backup, .soon),
      (.backup, .later), (.backup, .served), (.backup, .servedAndSoon), (.backup, .retiring),
    ]
    let places: [[PolicyWorld.Role]] = [
      [.leaf, .leaf, .root], [.leaf, .root, .root], [.leaf, .intermediate, .root], [.leaf, .unsaid, .ca],
    ]
    return PolicyFamily(name: "words", count: places.count * 14 * 14 * 14 * 2, size: 16_800) { digits in
      let roles = places[digits.below(places.count)]
      let keys = (0..<3).map { _ in states[digits.below(states.count)] }
      guard keys.contains(where: { $0.listing != .absent }) else { return nil }
      return PolicyWorld(
        roles: roles, words: keys.map(\.word),
        policy: PolicyWorld.Layer(keys: keys.map(\.listing), wantsBoth: digits.below(2) == 1))
    }
  }()

  /// A release that is out, or two, each with any set of keys; without keys, it doesn't pin the host.
  package static let releases: PolicyFamily = {
    let states: [State] = [
      (.absent, .nothing), (.absent, .soon), (.active, .nothing), (.active, .soon), (.backup, .nothing),
      (.backup, .servedSince),
    ]
    let places: [[PolicyWorld.Role]] = [[.leaf, .leaf, .root], [.leaf, .root, .root]]
    return PolicyFamily(name: "releases", count: 2 * 6 * 6 * 6 * 27 * 28 * 3, size: 499_608) { digits in
      let roles = places[digits.below(2)]
      let keys = (0..<3).map { _ in states[digits.below(states.count)] }
      let sets = [digits.below(28), digits.below(27)]
      let required = digits.below(3)
      func layer(_ keys: [PolicyWorld.Listing], wantsBoth: Bool) -> PolicyWorld.Layer {
        let isEmpty = keys.allSatisfy { $0 == .absent }
        return PolicyWorld.Layer([isEmpty ? .none : .exact, .none], keys: keys, wantsBoth: wantsBoth && !isEmpty)
      }
      return PolicyWorld(
        roles: roles, words: keys.map(\.word), policy: layer(keys.map(\.listing), wantsBoth: required > 0),
        releases: sets.filter { $0 < 27 }.map { layer(listings($0), wantsBoth: required > 1) })
    }
  }()

  /// Each entry, or none, for each host, in the policy and in up to two releases, of which nobody may run the first.
  package static let hosts = PolicyFamily(name: "hosts", count: 12 * 12 * 13 * 2 * 2 * 3 * 2, size: 43_200) { digits in
    let entries = [digits.below(12), digits.below(12), digits.below(13)]
    let isFirstForgotten = digits.below(2) == 1
    let isSilent = digits.below(2) == 1
    let kind = digits.below(3)
    let sets: [[PolicyWorld.Listing]] = [[.active, .backup, .absent], [.absent, .active, .backup]]
    let newest = sets[digits.below(2)]
    guard entries[2] < 12 || !isFirstForgotten else { return nil }
    func both(_ number: Int) -> [PolicyWorld.Entry] {
      [[.none, .exact, .subtree, .off][number % 4], [.none, .exact, .off][number / 4]]
    }
    let first = PolicyWorld.Layer(both(entries[2] % 12), keys: [.backup, .absent, .active])
    return PolicyWorld(
      roles: [.leaf, .leaf, .root], words: [kind == 1 ? .soon : .nothing, .nothing, .nothing],
      policy: PolicyWorld.Layer(both(entries[0]), keys: sets[kind / 2]),
      releases: (entries[2] < 12 ? [first] : []) + [PolicyWorld.Layer(both(entries[1]), keys: newest)],
      isFirstForgotten: isFirstForgotten, evidence: isSilent ? .silent : .none)
  }

  /// Steps, and up to two changes of what a server is assumed to present; the server may be one below the entry's host.
  package static let changes: PolicyFamily = {
    let states: [State] = [
      (.absent, .nothing), (.active, .nothing), (.active, .soon), (.active, .later), (.backup, .nothing),
      (.backup, .soon),
    ]
    let places: [[PolicyWorld.Role]] = [
      [.leaf, .leaf, .root], [.leaf, .root, .root], [.leaf, .intermediate, .root], [.unsaid, .ca, .root],
    ]
    return PolicyFamily(name: "changes", count: 4 * 6 * 6 * 6 * 2 * 2 * 128, size: 334_300) { digits in
      let roles = places[digits.below(4)]
      let keys = (0..<3).map { _ in states[digits.below(states.count)] }
      guard keys.contains(where: { $0.listing != .absent }) else { return nil }
      let wantsBoth = digits.below(2) == 1
      let host = digits.below(2)
      return PolicyWorld(
        roles: roles, words: keys.map(\.word),
        policy: PolicyWorld.Layer(
          [host == 0 ? .exact : .subtree, .none], keys: keys.map(\.listing), wantsBoth: wantsBoth),
        changes: statedChanges(digits.below(128), host))
    }
  }()

  /// Steps and one change of what a server was seen to present.
  package static let observed: PolicyFamily = {
    let own: [State] = [
      (.active, .nothing), (.active, .soon), (.active, .later), (.backup, .nothing), (.backup, .soon),
    ]
    let seen: [State] = [(.absent, .nothing), (.active, .nothing), (.active, .soon), (.backup, .nothing)]
    let places: [PolicyWorld.Role] = [.leaf, .intermediate, .root, .ca]
    return PolicyFamily(name: "observed", count: 4 * 5 * 4 * 4 * 2 * 28, size: 17_920) { digits in
      let role = places[digits.below(4)]
      let keys = [own[digits.below(5)], seen[digits.below(4)], seen[digits.below(4)]]
      return PolicyWorld(
        roles: [role, .leaf, .root], words: keys.map(\.word),
        policy: PolicyWorld.Layer(keys: keys.map(\.listing), wantsBoth: digits.below(2) == 1),
        changes: statedChanges(digits.below(28), 0), evidence: .observed)
    }
  }()

  /// None, one of 27, or two of 100 pairs.
  private static func statedChanges(_ number: Int, _ host: Int) -> [PolicyWorld.Change] {
    let one = [[0], [1], [2], [3], [1, 3], [2, 3], [0, 3], [1, 2], [1, 2, 3]]
    if number == 0 { return [] }
    if number < 28 { return [PolicyWorld.Change(host, one[(number - 1) % 9], at: [-5, 10, 15][(number - 1) / 9])] }
    let number = number - 28
    let ticks = [(-5, -3), (-5, 15), (10, 10), (10, 15)][number / 25]
    return [
      PolicyWorld.Change(host, one[number % 5], at: ticks.0),
      PolicyWorld.Change(host, one[number / 5 % 5], at: ticks.1),
    ]
  }

  private static func listings(_ number: Int) -> [PolicyWorld.Listing] {
    [1, 3, 9].map { [.absent, .active, .backup][number / $0 % 3] }
  }
}

extension PolicyWorld {
  /// Whether no earlier world is the same except for the names of two keys.
  fileprivate var isFirstOfItsKind: Bool {
    guard evidence != .observed else { return true }
    let own = written { $0 }
    return [(0, 1), (1, 2), (0, 2)].allSatisfy { left, right in
      guard roles[left] == roles[right] else { return true }
      let other = written { $0 == left ? right : $0 == right ? left : $0 }
      return !other.lexicographicallyPrecedes(own)
    }
  }

  /// The fields of all keys, each under another key's name.
  private func written(_ name: (Int) -> Int) -> [Int] {
    (0..<3).flatMap { key -> [Int] in
      let named = name(key)
      return ([policy] + releases).map { $0.keys[named].number } + [words[named].number]
    } + changes.flatMap { change in change.keys.map { $0 == 0 ? 0 : name($0 - 1) + 1 } }
  }
}

extension PolicyWorld.Listing {
  fileprivate var number: Int { self == .absent ? 0 : self == .active ? 1 : 2 }
}

extension PolicyWorld.Word {
  fileprivate var number: Int {
    switch self {
    case .nothing: 0
    case .servedSince: 1
    case .soon: 2
    case .later: 3
    case .served: 4
    case .servedAndSoon: 5
    case .retiring: 6
    }
  }
}
