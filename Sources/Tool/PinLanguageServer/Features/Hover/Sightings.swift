import PinFormat
import PinProbe

/// Where keys of the policy were in the chains that a record of live servers has, as clients would validate them.
struct Sightings {
  private struct Sighting {
    var observed: Instant
    var target: String
    var address: String
    var position: ChainPosition
    var counts: Bool
  }

  private var keys: [String: Sighting] = [:]
  private var hosts: [HostName: (observed: Instant, answered: Int, targets: Int)] = [:]
  private let ended: Instant

  init(_ assessment: Assessment) {
    ended = assessment.ended
    for target in assessment.targets {
      for visit in target.visits {
        var host = hosts[target.host] ?? (visit.observed, 0, 0)
        host.observed = max(host.observed, visit.observed)
        host.targets += 1
        guard let served = visit.served else {
          hosts[target.host] = host
          continue
        }
        host.answered += 1
        hosts[target.host] = host
        for match in served.judgements.compactMap(\.paths.first).flatMap(\.matches) {
          let sighting = Sighting(
            observed: visit.observed, target: target.label, address: visit.address, position: match.position,
            counts: match.counts)
          if let known = keys[match.key], known.observed >= visit.observed { continue }
          keys[match.key] = sighting
        }
      }
    }
  }

  func text(ofKey name: String, now: Instant) -> String {
    guard let seen = keys[name] else { return "Matched nowhere in the evidence of `\(ended)`" }
    let place = "at " + MarkdownWords.code(seen.target) + " (" + MarkdownWords.code(seen.address) + ")"
    return "Matched last \(place) as \(seen.position.rawValue), " + MarkdownWords.instant(seen.observed, now: now)
      + (seen.counts ? "" : "; it may not be there, so it doesn't count")
  }

  func text(ofHost host: HostName, now: Instant) -> String? {
    guard let seen = hosts[host] else { return "Not in the evidence of `\(ended)`" }
    return "Asked last " + MarkdownWords.instant(seen.observed, now: now)
      + ": \(seen.answered) of \(seen.targets) handshakes showed a chain"
  }
}
