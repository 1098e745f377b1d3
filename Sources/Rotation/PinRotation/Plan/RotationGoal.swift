package import PinFormat

/// What a rotation is to come to: every server of some key sets presents the target key, and the sets hold what stays.
package struct RotationGoal: Hashable, Sendable {
  /// The names of the key sets in the policy as it is.
  ///
  /// Concerned is each server whose governing entry, in the newest release or in the policy as it is, has one of
  /// them.
  package var keySets: [String]
  /// The key that the servers change to, as the policy has it; it need not be in the sets yet.
  package var target: Manifest.Key
  /// The keys that leave the sets at the end.
  ///
  /// Nil for those that no server presents any more: what a server presents now, and what the sets list as active. They
  /// stay as a backup where no other would be left; a denied key always leaves.
  package var leaving: [Pin]?
  /// What the clients of other audiences ask for, who connect to the same servers.
  package var bounds: [RotationBound] = []

  package init(keySets: [String], target: Manifest.Key, leaving: [Pin]? = nil) {
    self.keySets = keySets
    self.target = target
    self.leaving = leaving
  }
}

/// The earliest date of a step on which others depend too: clients that have other manifests of the same policy.
package struct RotationBound: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    /// Servers present a key.
    case serve(Pin)
    /// The last release, which leaves in the key sets what the goal leaves.
    case outcome
  }

  package var step: Step
  /// ``Instant/latest`` for a key that servers must not change to on the way.
  package var earliest: Instant
  /// Whose clients have to be waited for.
  package var audience: String

  package init(step: Step, earliest: Instant, audience: String) {
    self.step = step
    self.earliest = earliest
    self.audience = audience
  }
}

/// A key set as one release has it.
package struct KeySetContent: Hashable, Sendable {
  package var name: String
  /// Sorted by name, as all lists of keys here.
  package var active: [Manifest.Key]
  package var backup: [Manifest.Key]

  package init(name: String, active: [Manifest.Key], backup: [Manifest.Key]) {
    self.name = name
    self.active = active
    self.backup = backup
  }

  package var keys: [Manifest.Key] { active + backup }

  func contains(_ key: Manifest.Key) -> Bool { keys.contains { $0.isSame(as: key) } }

  /// Whether the decision takes the two for one: roles and names don't matter to it.
  func accepts(asMuchAs other: KeySetContent) -> Bool {
    keys.allSatisfy { other.contains($0) } && other.keys.allSatisfy { contains($0) }
  }
}

extension Manifest.Key {
  /// Whether the two accept the same certificates: a name is for people only.
  func isSame(as other: Manifest.Key) -> Bool { pin == other.pin && position == other.position }
}

extension [Manifest.Key] {
  /// By name, each once.
  func inOrder() -> [Manifest.Key] {
    var kept: [Manifest.Key] = []
    for key in sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    where !kept.contains(where: { $0.isSame(as: key) }) {
      kept.append(key)
    }
    return kept
  }
}
