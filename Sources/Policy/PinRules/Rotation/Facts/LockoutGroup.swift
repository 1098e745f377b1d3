import Diagnostics
import PinFormat
package import PinRotation

/// Lockouts that one finding tells: of one kind and cause, about the same keys, at one place of the policy.
struct LockoutGroup {
  var kind: LockoutKind
  var cause: LockoutCause
  var place: Place
  /// The keys that it is about: those that were dropped, or came too early, or are denied; none for other causes.
  var keys: [Pin]
  /// The earliest, of which the finding's witness is made.
  var first: Lockout
  /// The servers, in order.
  var servers: [Numbered<Server>]
  /// The releases whose clients are locked out, in order.
  var releases: [Numbered<ClientRelease>]
}

extension LockoutGroup {
  private struct Key: Hashable {
    var kind: LockoutKind
    var cause: LockoutCause
    var place: Place
    var keys: [Pin]
  }

  /// The lockouts in groups, in the order in which the first of each begins.
  ///
  /// Where a release's clients are locked out of a server, nothing is reported about what they are partly kept from
  /// there.
  static func all(_ lockouts: [Lockout], _ facts: RotationFacts) -> [LockoutGroup] {
    var whole: Set<[Int]> = []
    func clients(_ lockout: Lockout) -> [Int] { [lockout.server.number, lockout.release.number] }
    for lockout in lockouts where lockout.extent == .every { whole.insert(clients(lockout)) }
    var groups: [LockoutGroup] = []
    var numbers: [Key: Int] = [:]
    for lockout in lockouts {
      if lockout.extent == .some, whole.contains(clients(lockout)) { continue }
      let judged = facts.causes.judged(lockout)
      if facts.causes.isOnlyAssumed(judged) { continue }
      let (cause, kind) = (judged.cause, LockoutKind(judged))
      // A lockout that the release doesn't cause is reported per host, not per key.
      let keys = kind.isOfRelease ? facts.keys(of: lockout, cause) : []
      let key = Key(kind: kind, cause: cause, place: facts.place(of: lockout, cause, keys), keys: keys)
      if let number = numbers[key] {
        groups[number].add(lockout)
      } else {
        numbers[key] = groups.count
        groups.append(
          LockoutGroup(
            kind: kind, cause: cause, place: key.place, keys: keys, first: lockout, servers: [lockout.server],
            releases: [lockout.release]))
      }
    }
    for number in groups.indices {
      groups[number].servers = Set(groups[number].servers).sorted()
      groups[number].releases = Set(groups[number].releases).sorted()
    }
    return groups.sorted { $0.order < $1.order }
  }

  private mutating func add(_ lockout: Lockout) {
    if servers.last != lockout.server { servers.append(lockout.server) }
    if releases.last != lockout.release { releases.append(lockout.release) }
    if (lockout.begin, lockout.server, lockout.release) < (first.begin, first.server, first.release) { first = lockout }
  }

  private var order: (Instant, Numbered<Server>, Numbered<ClientRelease>, Place) {
    (first.begin, first.server, first.release, place)
  }
}

/// The kind of a lockout; each kind is reported by one rule, so none is reported twice and none is left out.
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

  // No default case, so that a new cause must be assigned to a rule.
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
