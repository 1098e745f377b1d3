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
    check: .live { _, facts in (facts.live.fleet?.backups ?? BackupSights(facts)).findings(facts.policy) })

  private static func backup(_ key: String) -> String {
    """
      example-ca-1: { file: keys/example-intermediate.pem }
    hosts:
      - host: api.example.com
        keys: { active: [example-ca-1], backup: [\(key)] }
    """
  }
}

/// Which backups of the policy are in the chains of which targets: as much as a message says, so that a fleet of any size
/// takes little memory.
struct BackupSights: Sendable {
  /// What a target shows of a key.
  private struct Kind: Hashable, Sendable {
    /// The key set of the target's entry.
    var keySet: Int?
    var isLeaf: Bool
    /// False where the chain matched by backups only, which is a finding of its own.
    var besidesActive: Bool
  }

  /// The targets that show the same.
  private struct Group: Sendable {
    /// The first of them, by their place in the record.
    var first: [(number: Int, label: String)] = []
    var count = 0
    var isLeaf: Bool

    /// As many names as a message has.
    static let most = 3

    mutating func add(_ other: Group, behind number: Int = 0) {
      first = Array(
        (first + other.first.map { ($0.number + number, $0.label) }).sorted { $0.number < $1.number }.prefix(Self.most))
      count += other.count
    }
  }

  private var groups: [Pin: [Kind: Group]] = [:]
  /// The first entry of each key set that pins a target which answered.
  private var entries: [Int: Int] = [:]
  private var targets = 0

  init() {}

  init(_ facts: LiveFacts) {
    let backups = Set(facts.policy.keySets.flatMap(\.backup).compactMap { facts.policy.keys[$0.key].pin })
    for (number, target) in facts.targets.enumerated() {
      var seen: [Pin: Kind] = [:]
      let set = facts.entry(of: target)?.keySet?.value
      func see(_ chain: [SHA256Digest], besidesActive: Bool) {
        for (place, fingerprint) in chain.enumerated() {
          guard let pin = facts.record(fingerprint)?.pin, backups.contains(pin) else { continue }
          let first = Kind(keySet: set, isLeaf: place == 0, besidesActive: false)
          seen[pin, default: first].besidesActive = seen[pin, default: first].besidesActive || besidesActive
        }
      }
      for judged in target.judged {
        var besidesActive = false
        if case .matched(let backup) = facts.pinState(judged, of: target) { besidesActive = backup.isEmpty }
        see(judged.path.chain, besidesActive: besidesActive)
        // Without a path there is only what the server sends, of which a part may be unrelated.
        guard judged.path.chain.isEmpty else { continue }
        see(target.served[judged.visit].report.chain, besidesActive: besidesActive)
      }
      for (pin, kind) in seen {
        groups[pin, default: [:]][kind, default: Group(isLeaf: kind.isLeaf)].add(
          Group(first: [(number, target.label)], count: 1, isLeaf: kind.isLeaf))
      }
    }
    targets = facts.targets.count
    for (entry, targets) in facts.targetsOfEntry {
      guard targets.contains(where: { facts.targets[$0].isPinned && facts.targets[$0].target.hasAnswered }),
        let set = facts.policy.hosts[entry].keySet?.value
      else { continue }
      entries[set] = min(entries[set] ?? entry, entry)
    }
  }

  /// Adds what a later piece showed.
  mutating func add(_ other: BackupSights) {
    for (pin, kinds) in other.groups {
      for (kind, group) in kinds {
        groups[pin, default: [:]][kind, default: Group(isLeaf: kind.isLeaf)].add(group, behind: targets)
      }
    }
    targets += other.targets
    entries.merge(other.entries) { min($0, $1) }
  }

  /// The targets that findings may name.
  var labels: [String] { groups.values.flatMap { $0.values.flatMap { $0.first.map(\.label) } } }

  /// One finding for each key set, at the first of its entries.
  func findings(_ policy: Policy) -> [Finding] {
    entries.sorted { $0.key < $1.key }.compactMap { set, entry in
      finding(policy.keySets[set], at: policy.hosts[entry], number: set, in: policy)
    }
  }

  private func finding(
    _ set: Policy.KeySet, at entry: Policy.HostEntry, number: Int, in policy: Policy
  ) -> Finding? {
    let found = set.backup.compactMap { member -> (member: Policy.KeySet.Member, shown: Group)? in
      guard let pin = policy.keys[member.key].pin else { return nil }
      let counting = (groups[pin] ?? [:]).filter { Self.counts($0.key, forSet: number) }.map(\.value)
        .sorted { $0.first[0].number < $1.first[0].number }
      guard var shown = counting.first else { return nil }
      for group in counting.dropFirst() { shown.add(group) }
      return (member, shown)
    }
    guard let first = found.first else { return nil }
    let parts = found.map { member, shown in
      let verb = shown.isLeaf ? "is the server's own key of" : "is in the chain of"
      return "'\(policy.keys[member.key].name.value)' \(verb) "
        + Wording.list(shown.first.map(\.label), most: Group.most, of: shown.count)
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
  private static func counts(_ kind: Kind, forSet set: Int) -> Bool {
    kind.keySet == set ? kind.besidesActive : kind.isLeaf
  }
}
