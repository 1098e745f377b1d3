import PinFormat

/// A lockout, what it comes from, and whether anything that is released now could still change it.
package struct JudgedLockout: Hashable, Sendable {
  package var lockout: Lockout
  package var cause: LockoutCause
  /// True where nothing that is released or planned makes the lockout: ``LockoutCauses/isStanding(_:)``.
  package var isStanding: Bool
  /// True where connections fail anyway, for another reason than pins.
  package var isUnhealthy: Bool

  package init(_ lockout: Lockout, cause: LockoutCause, isStanding: Bool, isUnhealthy: Bool = false) {
    self.lockout = lockout
    self.cause = cause
    self.isStanding = isStanding
    self.isUnhealthy = isUnhealthy
  }

  /// Whether clients are locked out by what is played: wholly, and not already.
  package var isCaused: Bool { !isStanding && lockout.extent == .every }

  /// What each lockout of a scenario comes from.
  package static func all(_ lockouts: [Lockout], in scenario: Scenario) -> [JudgedLockout] {
    let causes = LockoutCauses(scenario)
    return lockouts.map(causes.judged)
  }
}

extension LockoutCauses {
  /// What a lockout comes from.
  ///
  /// Where nobody has caused it, and it isn't the known keys of the chain that pins block, it comes from the failure of
  /// trust evaluation.
  package func judged(_ lockout: Lockout) -> JudgedLockout {
    guard isStanding(lockout) else { return JudgedLockout(lockout, cause: cause(of: lockout), isStanding: false) }
    let trust = landing(of: lockout).trust
    if case .refused(let reason, _, _) = trust, lockout.question == .anything || trust.hasUnknownEnd {
      return JudgedLockout(lockout, cause: .untrusted(reason), isStanding: true, isUnhealthy: true)
    }
    return JudgedLockout(
      lockout, cause: cause(of: lockout), isStanding: true, isUnhealthy: lockout.question == .anything)
  }
}
