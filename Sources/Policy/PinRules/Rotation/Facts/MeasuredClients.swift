import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRotation

/// What measured adoption says about the releases of a scenario: it may make a run longer, never shorter.
package struct MeasuredClients {
  /// A release that senders ran when no client was expected to run it any more.
  package struct Late {
    /// Its index in the scenario.
    package var release: Int
    package var serial: Int64
    /// The last day on which senders ran it.
    package var day: Adoption.Day
    /// When its window ended.
    package var expected: Instant
  }

  /// Serials that senders ran lately and that no given release has, the one with the most senders first.
  package struct Unlisted {
    package var serial: Int64
    package var day: Adoption.Day
    package var isNewer: Bool
  }

  package let adoption: Adoption
  package let late: [Late]
  package let unlisted: [Unlisted]
  private let scenario: Scenario

  package init(_ adoption: Adoption, _ scenario: Scenario) {
    self.adoption = adoption
    self.scenario = scenario
    let released = scenario.releases.indices.filter { scenario.releases[$0].origin == .released }
    late = released.compactMap { number in
      guard let serial = scenario.releases[number].serial, let end = scenario.windowEnd(ofRelease: number),
        let day = adoption.late(serial, after: end, at: scenario.now)
      else { return nil }
      return Late(release: number, serial: serial, day: day, expected: end)
    }
    let known = Set(released.compactMap { scenario.releases[$0].serial })
    let recent = adoption.days.filter { $0.number > (adoption.days.last?.number ?? 0) - 7 }
    var found: [Int64: Adoption.Day] = [:]
    // What was compiled from a commit has no serial to compare with.
    for day in recent where !known.isEmpty {
      for serial in day.senders.keys where !known.contains(serial) { found[serial] = day }
    }
    unlisted = found.map { Unlisted(serial: $0, day: $1, isNewer: $0 > known.max() ?? 0) }
      .sorted { ($1.day.senders[$1.serial] ?? 0, $0.serial) < ($0.day.senders[$0.serial] ?? 0, $1.serial) }
  }

  /// What a late release means, as a clause and what to do.
  package func words(_ late: Late) -> (message: String, help: String) {
    let until = scenario.run(ofRelease: late.release).end ?? scenario.now
    let message =
      adoption.text(of: late.serial, on: late.day) + ", though clients were expected not to run it since "
      + "\(late.expected)"
    let advice = "Find out why they don't update; if clients take that long, raise 'client-max-age' under 'manifest:'."
    return until > scenario.now
      ? (message + ": it counts as in use until \(until)", advice)
      : (message + ": it isn't counted as in use any more", advice)
  }

  /// The same about a serial that isn't among the releases.
  package func words(_ unlisted: Unlisted) -> (message: String, help: String) {
    let message = adoption.text(of: unlisted.serial, on: unlisted.day, "ran")
    return unlisted.isNewer
      ? (
        message + ": it is newer than all releases that are given",
        "If it was released, pass all released manifests to --against. Anybody can send counts of any serial."
      )
      : (
        message + ": it isn't among the releases that are given, so its clients aren't checked",
        "If clients may still have it, pass its manifest to --against too. Anybody can send counts of any serial."
      )
  }

  /// All of it in sentences, with what was measured first.
  package var notes: [String] {
    let most = 3
    let known = late.map { words($0).message } + unlisted.prefix(most).map { words($0).message }
    let others = unlisted.count - most
    let more = others > 0 ? ["senders ran \(others) more serials that aren't among the releases"] : []
    return [summary] + known + more
  }

  private var summary: String {
    guard let last = adoption.days.last else {
      return "no senders of this audience, measured \(adoption.measured)"
    }
    let known = scenario.releases.contains { $0.origin == .released && $0.serial != nil }
    let compared = known ? "" : "; releases without a serial can't be compared with them"
    return "\(Share.number(last.all)) senders counted on \(last.text), measured \(adoption.measured)\(compared)"
  }
}

extension Adoption {
  /// The last day on which senders ran a release, if that was after an end that has passed.
  fileprivate func late(_ serial: Int64, after end: Instant, at now: Instant) -> Day? {
    guard end <= now, let day = lastDay(of: serial), day.end > end else { return nil }
    return day
  }

  /// Puts off the end of releases that are out, and that senders still ran after it.
  ///
  /// They run on for two days after the last such day: its counts may arrive until the end of the next one, so that one
  /// day without them means nothing.
  package func prolong(_ releases: inout [ClientRelease], before count: Int, window: Int64, now: Instant) {
    for number in 0..<count where number + 1 < releases.count {
      let end = releases[number + 1].issued.adding(seconds: window)
      guard let serial = releases[number].serial, let day = late(serial, after: end, at: now) else { continue }
      releases[number].seenUntil = day.end.adding(seconds: 2 * 86_400)
    }
  }
}
