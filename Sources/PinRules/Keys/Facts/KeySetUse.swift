import Diagnostics
import PinFormat
import PinPolicy

/// A key set, and the pinned entries that use it.
struct KeySetUse {
  let set: Policy.KeySet
  /// Indices in ``Policy/hosts`` of the entries that use it and aren't `off`, in order; never empty.
  let hosts: [Int]
  /// True where one of them enforces.
  let isEnforced: Bool
  /// False where a member's name isn't declared or its pin can't be read, which is an error of its own: counting what
  /// is left would only mislead.
  let isWhole: Bool
  /// How many different pins its members have.
  let distinctPins: Int

  /// A finding's severity: the rule's own where clients are held to the set, one less where they only report.
  func severity(_ full: Severity) -> Severity? {
    if isEnforced { return nil }
    return full == .error ? .warning : .note
  }

  /// The first entry that uses a set with a name of its own, and how many more do.
  func related(in policy: Policy) -> [Diagnostic.Related] {
    guard !set.isInline, let first = hosts.first, let place = policy.hosts[first].keySet?.place else { return [] }
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
  static func all(of policy: Policy) -> [KeySetUse] {
    let hosts = policy.hosts
    var hostsOfSet = [[Int]](repeating: [], count: policy.keySets.count)
    for (index, host) in hosts.enumerated() where host.mode.value != .off {
      if let set = host.keySet?.value { hostsOfSet[set].append(index) }
    }
    let broken = setsWithUndefinedKeys(in: policy)
    return policy.keySets.indices.filter { !hostsOfSet[$0].isEmpty }.map { index in
      let set = policy.keySets[index]
      return KeySetUse(
        set: set,
        hosts: hostsOfSet[index],
        isEnforced: hostsOfSet[index].contains { hosts[$0].mode.value == .enforce },
        isWhole: !broken.contains(index) && set.members.allSatisfy { policy.keys[$0.key].pin != nil },
        distinctPins: Set(set.members.map { policy.keys[$0.key].pin }).count)
    }
  }

  /// Indices of the key sets that name a key which isn't declared.
  ///
  /// A set begins at its name and ends where the next one begins, so the set around a problem is the last that begins
  /// before it.
  private static func setsWithUndefinedKeys(in policy: Policy) -> Set<Int> {
    let problems = policy.problems.filter { if case .undefinedKey = $0.kind { true } else { false } }
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
