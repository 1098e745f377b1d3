import Diagnostics
import PinEvidence
import PinFormat
import PinValidator

/// What came of probing, in two lines.
struct ProbeSummary {
  /// How a target stands, the worst of its cells counting.
  private enum Standing {
    case holds
    case fails
    case unasked
  }

  private let assessment: Assessment
  private let standings: [Standing]

  init(_ assessment: Assessment) {
    self.assessment = assessment
    standings = assessment.targets.map { target in
      let paths = target.visits.compactMap(\.served).flatMap { $0.judgements.flatMap(\.paths) }
      return !target.hasAnswered ? .unasked : paths.allSatisfy(Self.holds) ? .holds : .fails
    }
  }

  /// "7 hosts at 9 addresses hold under 2 trust stores", or how many of them do.
  var outcome: String {
    let stores = " under " + counted(assessment.stores.count, "trust store")
    let (holding, failing, unasked) = (count(.holds), count(.fails), count(.unasked))
    let hosts = counted(standings.count, "host")
    switch standings.count {
    case 0: return "no host was asked"
    case unasked: return hosts + " could not be asked"
    case holding: return "\(hosts) at \(addresses(answering: true)) \(holding == 1 ? "holds" : "hold")\(stores)"
    case failing: return "\(hosts) at \(addresses()) \(failing == 1 ? "does" : "do") not hold\(stores)"
    default: break
    }
    var parts: [String] = []
    if holding > 0 { parts.append("\(holding) \(holding == 1 ? "holds" : "hold")\(stores)") }
    if failing > 0 {
      parts.append("\(failing) \(failing == 1 ? "does" : "do") not" + (holding > 0 ? "" : " hold" + stores))
    }
    if unasked > 0 { parts.append("\(unasked) could not be asked") }
    return "of \(hosts) at \(addresses()), " + parts.joined(separator: ", ")
  }

  /// "28 handshakes, 4 failed, recorded 2026-11-21T09:00:00Z, 3 days ago".
  var record: String {
    let visits = assessment.targets.flatMap(\.visits)
    let failed = visits.count { if case .failed = $0.outcome { true } else { false } }
    return counted(visits.count { $0.served != nil }, "handshake") + (failed == 0 ? "" : ", \(failed) failed")
      + ", recorded \(assessment.ended)" + age + (assessment.isPartial ? ", ended early" : "")
      + (assessment.shards.isEmpty ? "" : ", " + shards)
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
    return "shard \(numbers) of \(assessment.shards.first?.count ?? 0)"
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
