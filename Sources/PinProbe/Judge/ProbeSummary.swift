import Diagnostics
import PinFormat
import PinValidator

/// What came of probing, in two lines.
package struct ProbeSummary {
  /// How a target is, the worst of its cells counting.
  private enum Standing {
    case holds
    case fails
    case unasked
  }

  private let assessment: Assessment
  private let standings: [Standing]

  package init(_ assessment: Assessment) {
    self.assessment = assessment
    standings = assessment.targets.map { target in
      let paths = target.visits.compactMap(\.served).flatMap { $0.judgements.flatMap(\.paths) }
      if target.visits.contains(where: { $0.oversizedChain != nil }) { return .fails }
      return !target.hasAnswered ? .unasked : paths.allSatisfy(Self.holds) ? .holds : .fails
    }
  }

  /// "the policy holds on 7 hosts at 9 addresses under 2 trust stores", or on how many of them it does.
  ///
  /// Where others of their addresses weren't found, it says so: it isn't known whether it holds there.
  package var outcome: String {
    let gaps = assessment.targets.count { $0.unresolved != nil && !$0.visits.isEmpty }
    return verdict + (gaps == 0 ? "" : "; not all addresses of \(counted(gaps, "host")) were probed")
  }

  private var verdict: String {
    let stores = " under " + counted(assessment.stores.count, "trust store")
    let (holding, failing, unasked) = (count(.holds), count(.fails), count(.unasked))
    let hosts = counted(standings.count, "host")
    let (holds, fails) =
      judgesPins
      ? ("the policy holds", "the policy does not hold") : ("trust evaluation succeeds", "trust evaluation fails")
    switch standings.count {
    case 0: return "no host was probed"
    case unasked: return hosts + " could not be probed"
    case holding: return "\(holds) on \(hosts) at \(addresses(answering: true))\(stores)"
    case failing: return "\(fails) on \(hosts) at \(addresses())\(stores)"
    default: break
    }
    let verdict =
      holding == 0
      ? "\(fails) on \(failing)\(stores)"
      : "\(holds) on \(holding)\(stores)" + (failing == 0 ? "" : ", not on \(failing)")
    return "of \(hosts) at \(addresses()), \(verdict)" + (unasked == 0 ? "" : "; \(unasked) could not be probed")
  }

  /// "28 handshakes, of which 4 failed, observed 2026-11-21T09:00:00Z, 3 days ago".
  package var record: String {
    let visits = assessment.targets.flatMap(\.visits)
    let failed = visits.count {
      if case .failed(let failure) = $0.outcome { failure.kind != .cancelled } else { false }
    }
    let made = visits.count { $0.served != nil } + failed
    let failures =
      failed == 0 ? "" : failed < made ? ", of which \(failed) failed" : made == 1 ? ", which failed" : ", all failed"
    return counted(made, "handshake") + failures + ", observed \(assessment.ended)" + age
      + (assessment.isPartial ? ", stopped early" : "")
      + (assessment.shards.isEmpty ? "" : ", " + shards)
  }

  /// True where an entry pins at least one of the hosts; without, trust is all that was looked at.
  private var judgesPins: Bool {
    assessment.targets.contains { target in
      target.visits.compactMap(\.served).contains { served in
        served.judgements.contains { $0.paths.contains(where: Self.isPinned) }
      }
    }
  }

  private static func isPinned(_ path: PathJudgement) -> Bool {
    switch path.verdict {
    case nil, .notPinned: false
    case .allow, .block: true
    }
  }

  /// "9 addresses", or how many of them answered, where that isn't all.
  private func addresses(answering: Bool = false) -> String {
    func number(_ isCounted: (AssessedVisit) -> Bool) -> Int {
      assessment.targets.reduce(0) { sum, target in
        sum + Set(target.visits.filter(isCounted).map { HostLabel.text(host: $0.address, port: $0.port) }).count
      }
    }
    let all = number { _ in true }
    let answered = answering ? number { $0.served != nil } : all
    return (answered == all ? "" : "\(answered) of ") + counted(all, "address", plural: "addresses")
  }

  private var age: String {
    let seconds = assessment.instant.seconds(since: assessment.ended)
    switch seconds {
    case 86_400...: return ", " + counted(Int(seconds / 86_400), "day") + " ago"
    case 3_600...: return ", " + counted(Int(seconds / 3_600), "hour") + " ago"
    default: return ""
    }
  }

  private var shards: String {
    let numbers = assessment.shards.map { String($0.number) }.joined(separator: ", ")
    return "\(assessment.shards.count == 1 ? "shard" : "shards") \(numbers) of \(assessment.shards.first?.count ?? 0)"
  }

  private func count(_ standing: Standing) -> Int { standings.count { $0 == standing } }

  private static func holds(_ path: PathJudgement) -> Bool {
    switch path.verdict {
    case nil, .notPinned: path.failures.isEmpty
    case .block, .allow(.mismatchReported, _): false
    case .allow: true
    }
  }
}
