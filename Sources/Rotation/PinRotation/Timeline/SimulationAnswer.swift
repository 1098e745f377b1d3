import PinFormat

/// What a simulation comes to, in a sentence or two.
package struct SimulationAnswer {
  private let timeline: SimulationTimeline
  private let cause: CauseText
  private let words: EventText

  package init(_ timeline: SimulationTimeline) {
    self.timeline = timeline
    cause = CauseText(timeline.scenario, timeline.names)
    words = EventText(timeline)
  }

  /// Lower case and without a full stop: "nobody is locked out before 2027-08-18T00:00:00Z".
  package var sentence: String {
    if let first = timeline.first { return lockout(first) }
    let end = timeline.scenario.end
    if timeline.firstStanding != nil { return "no further client is locked out before \(end)" }
    if !timeline.partly.isEmpty { return "no client is completely locked out before \(end)" }
    return "nobody is locked out before \(end)"
  }

  /// What there is to say besides, each a clause.
  package var remarks: [String] {
    var remarks: [String] = []
    let all = timeline.scenario.servers.count
    if let first = timeline.first {
      let affected = timeline.affected.count
      if affected > timeline.alike(first).servers.count {
        remarks.append("in total, \(Self.hosts(affected, of: all)) are affected before \(timeline.scenario.end)")
      }
    }
    if let first = timeline.firstStanding {
      let clients = words.alternatives(timeline.alike(first).releases)
      remarks.append(
        "independently of this policy, from \(timeline.lockouts[first].lockout.begin) on clients with \(clients) are locked out of "
          + "\(Self.hosts(timeline.standing.count, of: all)): \(cause.reason(timeline.lockouts[first].cause))")
    }
    let partly = timeline.partly.count
    if partly > 0 {
      remarks.append(
        "some of what \(Self.hosts(partly, of: all)) \(partly == 1 ? "presents" : "present") is blocked")
    }
    return remarks
  }

  /// What can be done about the first lockout; nil where there is none.
  package var advice: String? { timeline.first.map { cause.advice(timeline.lockouts[$0]) } }

  private func lockout(_ number: Int) -> String {
    let alike = timeline.alike(number)
    let judged = timeline.lockouts[number]
    return "from \(judged.lockout.begin) on, clients with \(words.alternatives(alike.releases)) are locked out of "
      + "\(Self.hosts(alike.servers.count, of: timeline.scenario.servers.count)): \(cause.reason(judged.cause))"
  }

  /// `3 of 40 hosts`, `the one host`, `all 40 hosts`.
  package static func hosts(_ count: Int, of all: Int) -> String {
    if count == all { return all == 1 ? "the one host" : "all \(all) hosts" }
    return "\(count) of \(all) hosts"
  }
}

extension SimulationTimeline {
  /// Who is locked out from the same instant on for the same reason: the releases and the servers, rising.
  package func alike(_ number: Int) -> (releases: [Int], servers: [Int]) {
    let one = lockouts[number]
    let all = lockouts.filter {
      $0.lockout.begin == one.lockout.begin && $0.cause == one.cause && $0.isStanding == one.isStanding
        && $0.lockout.extent == one.lockout.extent
    }
    return (Set(all.map(\.lockout.release.number)).sorted(), Set(all.map(\.lockout.server.number)).sorted())
  }
}
