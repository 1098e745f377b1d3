package import PinRotation

/// What a lockout is told as; each kind is reported by one rule, so none is reported twice and none is left out.
package enum LockoutKind: Hashable, Sendable, CaseIterable {
  /// P601.
  case pinRemoved
  /// P602.
  case disjoint
  /// P603.
  case removedTooEarly
  /// P604.
  case servedTooEarly
  /// P607.
  case expired
  /// P613.
  case otherwise
  /// P614.
  case standing
  /// P615.
  case partial
  /// P619.
  case unhealthy

  package init(_ judged: JudgedLockout) {
    switch judged.lockout.extent {
    case _ where judged.isUnhealthy: self = .unhealthy
    case .some: self = .partial
    case .every: self = judged.isStanding ? .standing : Self(judged.cause)
    }
  }

  /// True for what the release, or a planned step, has caused.
  var isOfRelease: Bool { ![.standing, .partial, .unhealthy].contains(self) }

  // No default: a cause that is added has to be given to a rule.
  private init(_ cause: LockoutCause) {
    switch cause {
    case .pinRemoved: self = .pinRemoved
    case .disjoint: self = .disjoint
    case .removedTooEarly: self = .removedTooEarly
    case .notYetPublished: self = .servedTooEarly
    case .expired: self = .expired
    case .denied, .newlyEnforced, .untrusted, .exceptionEnded, .unpinnedDenied, .other: self = .otherwise
    }
  }
}
