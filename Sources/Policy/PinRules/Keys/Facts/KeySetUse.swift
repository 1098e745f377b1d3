import Diagnostics
import PinFormat
import PinPolicy

/// A key set, and the pinned entries that use it.
struct KeySetUse: Sendable {
  /// The index in ``Policy/keySets``.
  let set: Int
  /// Indices in ``Policy/hosts`` of the entries that use it and aren't `off`, in order; never empty.
  let hosts: ArraySlice<Int>
  /// True where one of them enforces.
  let isEnforced: Bool
  /// False where a member's name isn't declared or its pin can't be read, which is an error of its own: counting what
  /// is left would only mislead.
  let isWhole: Bool
  /// How many different pins its members have.
  let distinctPins: Int
  let active: MemberTraits
  let backup: MemberTraits

  /// What holds for the keys of one list.
  struct MemberTraits: Sendable {
    let count: Int
    /// For each of them; all traits where there is none.
    let every: KeyTraits
    /// For one of them.
    let some: KeyTraits

    init(_ members: [Policy.KeySet.Member], _ facts: KeyFacts) {
      var every = KeyTraits(rawValue: .max)
      var some: KeyTraits = []
      for member in members {
        every.formIntersection(facts.traits[member.key])
        some.formUnion(facts.traits[member.key])
      }
      (self.count, self.every, self.some) = (members.count, every, some)
    }
  }

  /// The traits of all of its keys.
  var every: KeyTraits { active.every.intersection(backup.every) }

  /// The traits that one of its keys has.
  var some: KeyTraits { active.some.union(backup.some) }

  /// A finding's severity: the rule's own where clients are checked against the set, one less where they only report.
  func severity(_ full: Severity) -> Severity? {
    if isEnforced { return nil }
    return full == .error ? .warning : .note
  }

  /// The first entry that uses a set with a name of its own, and how many more do.
  func related(in policy: Policy) -> [Diagnostic.Related] {
    guard !policy.keySets[set].isInline, let first = hosts.first, let place = policy.hosts[first].keySet?.place else {
      return []
    }
    let more = hosts.count > 1 ? ", and by \(counted(hosts.count - 1, "more host"))" : ""
    return [Diagnostic.Related("used by '\(policy.hosts[first].label)' here\(more)", at: place)]
  }
}

extension Policy.KeySet {
  /// The set as messages name it.
  var title: String { Self.title(of: name) }

  /// A set of this name as messages name it; no declared name has a colon.
  static func title(of name: String) -> String {
    name.hasPrefix("host:") ? "the key set of '\(name.dropFirst("host:".count))'" : "key set '\(name)'"
  }
}

extension KeySetUse {
  /// The key sets that pinned entries use, in order of name.
  static func all(of policy: Policy, _ hostFacts: HostFacts, _ facts: KeyFacts) -> [KeySetUse] {
    let (hosts, ends) = hostsBySet(policy, hostFacts)
    let broken = setsWithUnreadKeys(in: policy)
    var start = 0
    return policy.keySets.indices.compactMap { index in
      defer { start = ends[index] }
      guard start < ends[index] else { return nil }
      let users = hosts[start..<ends[index]]
      let active = MemberTraits(policy.keySets[index].active, facts)
      let backup = MemberTraits(policy.keySets[index].backup, facts)
      return KeySetUse(
        set: index,
        hosts: users,
        isEnforced: users.contains { hostFacts.traits[$0].contains(.enforces) },
        isWhole: !broken.contains(index) && active.every.contains(.hasPin) && backup.every.contains(.hasPin),
        distinctPins: facts.countOfPins(policy.keySets[index]),
        active: active, backup: backup)
    }
  }

  /// The pinned entries, those of one set side by side, and where each set's end.
  private static func hostsBySet(_ policy: Policy, _ facts: HostFacts) -> (hosts: [Int], ends: [Int]) {
    func set(of index: Int) -> Int? {
      facts.traits[index].contains(.isOff) ? nil : policy.hosts[index].keySet?.value
    }
    var ends = Array(repeating: 0, count: policy.keySets.count)
    for index in policy.hosts.indices { if let set = set(of: index) { ends[set] += 1 } }
    var sum = 0
    for set in ends.indices {
      let count = ends[set]
      ends[set] = sum
      sum += count
    }
    // From here on, `ends` has the index at which each set's next entry is written.
    var hosts = Array(repeating: 0, count: sum)
    for index in policy.hosts.indices {
      guard let set = set(of: index) else { continue }
      hosts[ends[set]] = index
      ends[set] += 1
    }
    return (hosts, ends)
  }

  /// Indices of the key sets that name a key which isn't declared, or have a field with a typo.
  ///
  /// A set begins at its name and ends where the next one begins, so the set around a problem is the last that begins
  /// before it.
  private static func setsWithUnreadKeys(in policy: Policy) -> Set<Int> {
    let problems = policy.problems.filter { problem in
      switch problem.kind {
      case .undefinedKey: true
      case .unknownField(_, let within, _): within == "key set"
      default: false
      }
    }
    guard !problems.isEmpty else { return [] }
    let sets = policy.keySets
    let inOrder = sets.indices.sorted { sets[$0].place < sets[$1].place }
    var found: Set<Int> = []
    var next = 0
    for place in problems.map(\.place).sorted() {
      while next < inOrder.count, sets[inOrder[next]].place <= place { next += 1 }
      if next > 0 { found.insert(inOrder[next - 1]) }
    }
    return found
  }
}

extension KeyFacts {
  /// How many different pins a set's members have; those that can't be read count as one.
  fileprivate func countOfPins(_ set: Policy.KeySet) -> Int {
    // Most sets have few members, and need no table.
    if set.active.count == 1, set.backup.count == 1 {
      return pinNumbers[set.active[0].key] == pinNumbers[set.backup[0].key] ? 1 : 2
    }
    return Set(set.members.map { pinNumbers[$0.key] }).count
  }
}
