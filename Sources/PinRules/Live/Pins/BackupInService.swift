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
    check: .live { _, facts in BackupsInService(facts).findings })

  private static func backup(_ key: String) -> String {
    """
      example-ca-1: { file: keys/example-intermediate.pem }
    hosts:
      - host: api.example.com
        keys: { active: [example-ca-1], backup: [\(key)] }
    """
  }
}

/// Which keys are in which chains of which targets.
private struct BackupsInService {
  /// Where a key was seen.
  struct Sight {
    /// The index in ``LiveFacts/targets``.
    var target: Int
    var isLeaf: Bool
    /// False where the chain matched by backups only, which is a finding of its own.
    var besidesActive: Bool
  }

  let facts: LiveFacts
  private var sights: [Pin: [Sight]] = [:]

  init(_ facts: LiveFacts) {
    self.facts = facts
    for (index, target) in facts.targets.enumerated() {
      var seen: [Pin: Sight] = [:]
      func see(_ chain: [SHA256Digest], besidesActive: Bool) {
        for (place, fingerprint) in chain.enumerated() {
          guard let pin = facts.record(fingerprint)?.pin else { continue }
          var sight = seen[pin] ?? Sight(target: index, isLeaf: place == 0, besidesActive: false)
          sight.besidesActive = sight.besidesActive || besidesActive
          seen[pin] = sight
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
  }

  /// One finding for each key set, at the first of its entries.
  var findings: [Finding] {
    var entriesOfSet: [Int: [Int]] = [:]
    for (entry, targets) in facts.targetsOfEntry {
      guard targets.contains(where: { facts.targets[$0].isPinned && facts.targets[$0].target.hasAnswered }),
        let set = facts.policy.hosts[entry].keySet?.value
      else { continue }
      entriesOfSet[set, default: []].append(entry)
    }
    return entriesOfSet.sorted { $0.key < $1.key }.compactMap { set, entries in
      finding(facts.policy.keySets[set], at: entries.sorted(), number: set)
    }
  }

  private func finding(_ set: Policy.KeySet, at entries: [Int], number: Int) -> Finding? {
    let found = set.backup.compactMap { member -> (member: Policy.KeySet.Member, sights: [Sight])? in
      guard let pin = facts.policy.keys[member.key].pin else { return nil }
      let sights = (sights[pin] ?? []).filter { counts($0, forSet: number) }
      return sights.isEmpty ? nil : (member, sights)
    }
    guard let first = found.first, let entry = entries.first else { return nil }
    let parts = found.map { found in
      let targets = found.sights.map { facts.targets[$0.target].label }
      let verb = found.sights[0].isLeaf ? "is the server's own key of" : "is in the chain of"
      return "'\(facts.policy.keys[found.member.key].name.value)' \(verb) \(Wording.list(targets, most: 3))"
    }
    return Finding(
      at: facts.policy.hosts[entry].written.place,
      "\(found.count == 1 ? "a backup" : "backups") of \(set.title) \(found.count == 1 ? "is" : "are") already in use: "
        + LiveFacts.joined(parts),
      related: [Diagnostic.Related("listed as a backup here", at: first.member.place)],
      help: "Pin a key that no server presents as the backup. If this key is meant to match, list it under 'active:'.")
  }

  /// A server's own key counts wherever it is seen.
  ///
  /// A CA serves many: its key counts in chains that this set has to match, since two hosts may well have each other's
  /// CAs for backups.
  private func counts(_ sight: Sight, forSet set: Int) -> Bool {
    let target = facts.targets[sight.target]
    let isOfSet = facts.entry(of: target)?.keySet?.value == set
    return isOfSet ? sight.besidesActive : sight.isLeaf
  }
}
