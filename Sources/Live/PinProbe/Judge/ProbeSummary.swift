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

  /// What all targets come to, without the targets.
  private var assessment: Assessment
  private var standings: [Standing: Int] = [:]
  /// Hosts of which not all addresses were found.
  private var gaps = 0
  private var addresses = 0
  private var answering = 0
  private var made = 0
  private var failed = 0
  /// True where an entry pins at least one of the hosts; without, trust is all that was looked at.
  private var judgesPins = false

  package init(_ assessment: Assessment) {
    var summary = assessment
    (summary.targets, summary.certificates) = ([], [:])
    self.assessment = summary
    add(assessment)
  }

  /// Adds more targets of the same record.
  package mutating func add(_ more: Assessment) {
    if more.leavesOutMLDSA { assessment.leavesOutMLDSA = true }
    for target in more.targets {
      let paths = target.visits.compactMap(\.served).flatMap { $0.judgements.flatMap(\.paths) }
      let standing: Standing =
        target.visits.contains { $0.oversizedChain != nil }
        ? .fails : !target.hasAnswered ? .unasked : paths.allSatisfy(Self.holds) ? .holds : .fails
      standings[standing, default: 0] += 1
      if target.unresolved != nil, !target.visits.isEmpty { gaps += 1 }
      addresses += Self.addresses(of: target.visits)
      answering += Self.addresses(of: target.visits.filter { $0.served != nil })
      let failures = target.visits.count {
        if case .failed(let failure) = $0.outcome { failure.kind != .cancelled } else { false }
      }
      made += target.visits.count { $0.served != nil } + failures
      failed += failures
      judgesPins = judgesPins || paths.contains(where: Self.isPinned)
    }
  }

  private static func addresses(of visits: [AssessedVisit]) -> Int {
    Set(visits.map { HostLabel.text(host: $0.address, port: $0.port) }).count
  }

  /// "the policy holds on 7 hosts at 9 addresses under 2 trust stores", or on how many of them it does.
  ///
  /// Where others of their addresses weren't found, it says so: it isn't known whether it holds there.
  package var outcome: String {
    return verdict + (gaps == 0 ? "" : "; not all addresses of \(counted(gaps, "host")) were probed")
  }

  private var verdict: String {
    let stores = " under " + counted(assessment.stores.count, "trust store")
    let (holding, failing, unasked) = (count(.holds), count(.fails), count(.unasked))
    let number = holding + failing + unasked
    let hosts = counted(number, "host")
    let (holds, fails) =
      judgesPins
      ? ("the policy holds", "the policy does not hold") : ("trust evaluation succeeds", "trust evaluation fails")
    switch number {
    case 0: return "no host was probed"
    case unasked: return hosts + " could not be probed"
    case holding: return "\(holds) on \(hosts) at \(addressText(answering: true))\(stores)"
    case failing: return "\(fails) on \(hosts) at \(addressText())\(stores)"
    default: break
    }
    let verdict =
      holding == 0
      ? "\(fails) on \(failing)\(stores)"
      : "\(holds) on \(holding)\(stores)" + (failing == 0 ? "" : ", not on \(failing)")
    return "of \(hosts) at \(addressText()), \(verdict)" + (unasked == 0 ? "" : "; \(unasked) could not be probed")
  }

  /// "28 handshakes, of which 4 failed, observed 2026-11-21T09:00:00Z, 3 days ago".
  package var record: String {
    let failures =
      failed == 0 ? "" : failed < made ? ", of which \(failed) failed" : made == 1 ? ", which failed" : ", all failed"
    return counted(made, "handshake") + failures + ", observed \(assessment.ended)" + age
      + (assessment.isPartial ? ", stopped early" : "")
      + (assessment.shards.isEmpty ? "" : ", " + shards)
  }

  /// What couldn't be asked, a line each.
  package var remarks: [String] {
    assessment.unasked.map {
      "no server was asked for certificates with \($0.title) keys: pintle asks for them only if it is linked to OpenSSL 3.5 "
        + "or later"
    }
      + (assessment.leavesOutMLDSA
        ? ["certificates with ML-DSA keys were left out: no client of the policy asks servers for them"] : [])
  }

  private static func isPinned(_ path: PathJudgement) -> Bool {
    switch path.verdict {
    case nil, .notPinned: false
    case .allow, .block: true
    }
  }

  /// "9 addresses", or how many of them answered, where that isn't all.
  private func addressText(answering isOnlyAnswering: Bool = false) -> String {
    (!isOnlyAnswering || answering == addresses ? "" : "\(answering) of ")
      + counted(addresses, "address", plural: "addresses")
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

  private func count(_ standing: Standing) -> Int { standings[standing] ?? 0 }

  private static func holds(_ path: PathJudgement) -> Bool {
    switch path.verdict {
    case nil, .notPinned: path.failures.isEmpty
    case .block, .allow(.mismatchReported, _): false
    case .allow: true
    }
  }
}
