/// A lockout, what it comes from, and whether anything that is released now could still change it.
package struct JudgedLockout: Hashable, Sendable {
  package var lockout: Lockout
  package var cause: LockoutCause
  /// True where clients of a manifest that is out already can't reach what is served without any planned change.
  package var isStanding: Bool

  package init(_ lockout: Lockout, cause: LockoutCause, isStanding: Bool) {
    self.lockout = lockout
    self.cause = cause
    self.isStanding = isStanding
  }

  /// Whether clients are locked out by what is played: wholly, and not already.
  package var isCaused: Bool { !isStanding && lockout.extent == .every }

  /// What each lockout of a scenario comes from.
  package static func all(_ lockouts: [Lockout], in scenario: Scenario) -> [JudgedLockout] {
    let causes = LockoutCauses(scenario)
    return lockouts.map { JudgedLockout($0, cause: causes.cause(of: $0), isStanding: causes.isStanding($0)) }
  }
}
