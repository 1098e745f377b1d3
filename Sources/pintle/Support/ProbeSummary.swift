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
    let stores = "under " + counted(assessment.stores.count, "trust store")
    guard let first = standings.first else { return "no host was asked" }
    let hosts = counted(standings.count, "host")
    let place = addresses == 0 ? hosts : hosts + " at " + counted(addresses, "address", plural: "addresses")
    if standings.allSatisfy({ $0 == first }) {
      switch first {
      case .holds: return place + (standings.count == 1 ? " holds " : " hold ") + stores
      case .fails: return place + (standings.count == 1 ? " does not hold " : " do not hold ") + stores
      case .unasked: return hosts + " could not be asked"
      }
    }
    let parts = [(count(.holds), "hold"), (count(.fails), "do not"), (count(.unasked), "could not be asked")]
    let words = parts.filter { $0.0 > 0 }.map { number, words in
      number == 1 ? "1 " + (words == "hold" ? "holds" : words == "do not" ? "does not" : words) : "\(number) \(words)"
    }
    return "of \(place), \(words.joined(separator: ", ")) \(stores)"
  }

  /// "28 handshakes of 32, recorded 2026-11-21T09:00:00Z, 3 days ago".
  var record: String {
    let visits = assessment.targets.flatMap(\.visits)
    let served = visits.count { $0.served != nil }
    let asked = served == visits.count ? counted(served, "handshake") : "\(served) of \(visits.count) handshakes"
    return asked + ", recorded \(assessment.ended)" + age + (assessment.isPartial ? ", ended early" : "")
      + (assessment.shards.isEmpty ? "" : ", " + shards)
  }

  private var addresses: Int {
    assessment.targets.reduce(0) { sum, target in
      sum + Set(target.visits.map { HostLabel.text(host: $0.address, port: $0.port) }).count
    }
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
