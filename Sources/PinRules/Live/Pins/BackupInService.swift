import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A backup that a server presents already.
  static let backupInService = Rule(
    code: "P525",
    name: "backup-in-service",
    severity: .warning,
    title: "A backup key is already in use.",
    rationale: """
      RFC 7469 requires a backup to be a key that no server presents: a key that is in the chain already is lost together
      with it. A CA key above the pinned one protects against a change of the intermediate, and against nothing else. A
      server's key that another host uses is on a machine on the network.
      """,
    failing: .live("whole-chain", "The chain holds both the intermediate and the root.", backup("example-root")),
    passing: .live("whole-chain", "The chain holds both the intermediate and the root.", backup("other-root")),
    citation: "RFC 7469 sections 2.5 and 4.3",
    check: .live { input, facts in (input.live?.backups ?? BackupSights(facts)).findings(facts.policy) })

  private static func backup(_ key: String) -> String {
    """
      example-ca-1: { file: keys/example-intermediate.pem }
    hosts:
      - host: api.example.com
        keys: { active: [example-ca-1], backup: [\(key)] }
    """
  }
}

/// Which backups of the policy are in the chains of which targets; the pieces of a record are put together.
package struct BackupSights: Sendable {
  /// Where a key was seen.
  private struct Sight: Sendable {
    /// The target, and the key set of its entry.
    var label: String
    var keySet: Int?
    var isLeaf: Bool
    /// False where the chain matched by backups only, which is a finding of its own.
    var besidesActive: Bool
  }

  private var sights: [Pin: [Sight]] = [:]
  /// The first entry of each key set that pins a target which answered.
  private var entries: [Int: Int] = [:]

  init() {}

  init(_ facts: LiveFacts) {
    let backups = Set(facts.policy.keySets.flatMap(\.backup).compactMap { facts.policy.keys[$0.key].pin })
    for target in facts.targets {
      var seen: [Pin: Sight] = [:]
      let set = facts.entry(of: target)?.keySet?.value
      func see(_ chain: [SHA256Digest], besidesActive: Bool) {
        for (place, fingerprint) in chain.enumerated() {
          guard let pin = facts.record(fingerprint)?.pin, backups.contains(pin) else { continue }
          let first = Sight(label: target.label, keySet: set, isLeaf: place == 0, besidesActive: false)
          seen[pin, default: first].besidesActive = seen[pin, default: first].besidesActive || besidesActive
        }
      }
      for judged in target.judged {
        var besidesActive = false
        if case .matched(let backup) = facts.pinState(judged, of: target) { besidesActive = backup.isEmpty }
        see(judged.path.chain, besidesActive: besidesActive)
        see(target.served[judged.visit].report.chain, besidesActive: besidesActive)
      }
      for (pin, sight) in seen { sights[pin, default: []].append(sight) }
    }
    for (entry, targets) in facts.targetsOfEntry {
      guard targets.contains(where: { facts.targets[$0].isPinned && facts.targets[$0].target.hasAnswered }),
        let set = facts.policy.hosts[entry].keySet?.value
      else { continue }
      entries[set] = min(entries[set] ?? entry, entry)
    }
  }

  /// Adds what a later piece showed.
  mutating func add(_ other: BackupSights) {
    sights.merge(other.sights) { $0 + $1 }
    entries.merge(other.entries) { min($0, $1) }
  }

  /// One finding for each key set, at the first of its entries.
  func findings(_ policy: Policy) -> [Finding] {
    entries.sorted { $0.key < $1.key }.compactMap { set, entry in
      finding(policy.keySets[set], at: policy.hosts[entry], number: set, in: policy)
    }
  }

  private func finding(
    _ set: Policy.KeySet, at entry: Policy.HostEntry, number: Int, in policy: Policy
  ) -> Finding? {
    let found = set.backup.compactMap { member -> (member: Policy.KeySet.Member, sights: [Sight])? in
      guard let pin = policy.keys[member.key].pin else { return nil }
      let sights = (sights[pin] ?? []).filter { Self.counts($0, forSet: number) }
      return sights.isEmpty ? nil : (member, sights)
    }
    guard let first = found.first else { return nil }
    let parts = found.map { found in
      let verb = found.sights[0].isLeaf ? "is the server's own key of" : "is in the chain of"
      return "'\(policy.keys[found.member.key].name.value)' \(verb) "
        + Wording.list(found.sights.map(\.label), most: 3)
    }
    return Finding(
      at: entry.written.place,
      "\(found.count == 1 ? "a backup" : "backups") of \(set.title) \(found.count == 1 ? "is" : "are") already in use: "
        + LiveFacts.joined(parts),
      related: [Diagnostic.Related("listed as a backup here", at: first.member.place)],
      help: "Pin a key that no server presents as the backup. If this key is meant to match, list it under 'active:'.")
  }

  /// A server's own key counts wherever it is seen.
  ///
  /// A CA serves many: its key counts in chains that this set has to match, since two hosts may well have each other's
  /// CAs for backups.
  private static func counts(_ sight: Sight, forSet set: Int) -> Bool {
    sight.keySet == set ? sight.besidesActive : sight.isLeaf
  }
}
