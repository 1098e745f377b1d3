import PinFormat
import PinPolicy
import PinRelease

/// What clients of one release answer to a chain over a time.
struct DeployLife {
  /// Those of each kind of client, or of all alike; in order of time.
  var lockouts: [Deploy.Lockout]
  /// Whether nothing pins the host, ever.
  var isUnpinned: Bool
}

extension DeployClients {
  /// An answer, and from when until when it is given.
  private struct Stretch: Hashable {
    var begin: Instant
    var end: Instant
    var answer: DeployAnswer
    var counts: Bool
  }

  /// Asks at the beginning of a time, and whenever an answer may change in it.
  func answers(to chain: [[UInt8]], in span: Range<Instant>) -> DeployLife {
    var instants = changes(of: chain)
    if let served { instants.formUnion(changes(of: served)) }
    let asked = [span.lowerBound] + instants.filter { $0 > span.lowerBound && $0 < span.upperBound }.sorted()
    var byClient: [(client: Policy.ClientKind, stretches: [Stretch])] = []
    for (number, instant) in asked.enumerated() {
      let end = number + 1 < asked.count ? asked[number + 1] : span.upperBound
      let answers = answers(to: chain, at: instant)
      // A certificate that has ended is replaced anyway, so it excuses nothing.
      let isServed = servedDates.map { $0.contains(instant) } ?? false
      let now =
        isServed && answers.contains { $0.answer.isByExpiry } ? served.map { self.answers(to: $0, at: instant) } : nil
      for (kind, (client, answer)) in answers.enumerated() {
        if number == 0 { byClient.append((client, [])) }
        let helps = !answer.isOfAnyChain && (now?[kind].answer.isAccepted ?? true)
        let counts = !answer.isAccepted && (!answer.isByExpiry || helps)
        let stretch = Stretch(begin: instant, end: end, answer: answer, counts: counts)
        if let last = byClient[kind].stretches.last, last.answer == answer, last.counts == counts {
          byClient[kind].stretches[byClient[kind].stretches.count - 1].end = end
        } else {
          byClient[kind].stretches.append(stretch)
        }
      }
    }
    let isAlike = byClient.allSatisfy { $0.stretches == byClient[0].stretches }
    let shown =
      isAlike ? [(client: nil, stretches: byClient[0].stretches)] : byClient.map { ($0.client.rawValue, $0.stretches) }
    return DeployLife(
      lockouts: shown.flatMap { (client: String?, stretches: [Stretch]) in
        stretches.filter { !$0.answer.isAccepted }.map { lockout($0, client, in: span) }
      },
      isUnpinned: byClient.allSatisfy { $0.stretches.allSatisfy(\.answer.isUnpinned) })
  }

  private func lockout(_ stretch: Stretch, _ client: String?, in span: Range<Instant>) -> Deploy.Lockout {
    Deploy.Lockout(
      audience: audience, release: release.name, serial: release.serial, client: client, begin: stretch.begin,
      end: stretch.end < span.upperBound
        ? stretch.end : end.flatMap { span.lowerBound < $0 && $0 <= span.upperBound ? $0 : nil },
      because: stretch.answer.because, reason: stretch.answer.reason, isByExpiry: stretch.answer.isByExpiry,
      counts: stretch.counts, runEnd: end, obstacle: stretch.answer.obstacle)
  }
}
