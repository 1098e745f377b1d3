// When there is no plan, and why.

extension PlanOracle {
  /// Whether there is no plan since certificates of a host fail.
  package var isUnhealthy: Bool {
    if mistake == .failuresOfOthersCount, world.bystander.map({ $0.health != .fine }) ?? false { return true }
    return mistake != .failuresAreIgnored
      && world.hosts.contains { $0.health == .failing || $0.health == .failingWithoutEnd }
  }

  /// Whether no release accepts the target where it would be presented.
  package var refusesTarget: Bool {
    world.hosts.contains {
      releaseKeepsOut(world.allKeys, changed($0, to: PlanWorld.target), byPins: false, anyIsEnough: $0.isAssumed)
    }
  }

  /// Whether a release with all keys keeps out who gets through now, so that every plan with a release before the change
  /// locks out.
  package var locksOutAnyway: Bool { world.hosts.indices.contains(where: locksOutAnyway) || locksOutOfBystander }

  private func locksOutAnyway(_ index: Int) -> Bool {
    let host = world.hosts[index]
    guard releaseKeepsOut(world.allKeys, host, anyIsEnough: false) else { return false }
    let isPinned = world.past.last.map { $0.keys[index] != 0 && !$0.onlyReports } ?? false
    if mistake == .newlyEnforcedIsGiven, !isPinned { return false }
    guard let newest = world.past.indices.last else { return true }
    return !keepsOut(newest, index, host, State(world), byPins: true, anyIsEnough: false)
  }

  /// Whether the policy is the first to pin the host that the plan isn't about, and its clients don't get through.
  private var locksOutOfBystander: Bool {
    guard let other = world.bystander, mistake != .newlyEnforcedIsGiven else { return false }
    let isPinned = other.isInNewest && !world.past.isEmpty
    return !isPinned && (!other.presentsItsKey || other.health != .fine)
  }

  /// Whether a plan has a release while somebody is locked out of what no step before it has changed.
  ///
  /// Where it is only assumed what a host presents, the plan says when its keys may be.
  package func locksOut(_ plan: [DatedStep]) -> Bool {
    var changed = 0
    for dated in plan {
      switch dated.step {
      case .serve(let hosts, _): changed |= hosts
      case .release:
        if locksOutOfBystander { return true }
        let isLockedOut = world.hosts.indices.contains { index in
          changed >> index & 1 == 0 && !world.hosts[index].isAssumed && locksOutAnyway(index)
        }
        if isLockedOut { return true }
      }
    }
    return false
  }
}
