import Diagnostics
import PinFormat
import PinPolicy

/// A policy by its names: what hover, completion and the like look things up in.
struct Meaning {
  let policy: Policy
  private let keys: [String: Int]
  private let sets: [String: Int]

  init(_ policy: Policy) {
    self.policy = policy
    keys = Dictionary(policy.keys.enumerated().map { ($1.name.value, $0) }) { first, _ in first }
    sets = Dictionary(policy.keySets.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  func key(_ name: String) -> (index: Int, key: Policy.Key)? { keys[name].map { ($0, policy.keys[$0]) } }

  func set(_ name: String) -> (index: Int, set: Policy.KeySet)? { sets[name].map { ($0, policy.keySets[$0]) } }

  /// The sets that hold a key.
  func sets(withKey index: Int) -> [(set: Policy.KeySet, index: Int, isBackup: Bool)] {
    policy.keySets.enumerated().compactMap { number, set in
      if set.active.contains(where: { $0.key == index }) { return (set, number, false) }
      return set.backup.contains { $0.key == index } ? (set, number, true) : nil
    }
  }

  /// The entries that use a set, less those that are removed.
  func hosts(usingSet index: Int) -> [Policy.HostEntry] {
    policy.hosts.filter { $0.keySet?.value == index && $0.mode.value != .off }
  }
}
