import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A pinned host that wasn't probed.
  static let notInEvidence = Rule(
    code: "P538",
    name: "not-in-evidence",
    severity: .warning,
    title: "A pinned host isn't in the evidence.",
    rationale: """
      Nothing is known about a host that isn't in the evidence. Usually its entry was added after the evidence was
      recorded. If the evidence covers one part of a fleet, or probing was stopped early, one note lists all missing
      hosts, because they may be in another part. If all hosts are there, but probing was stopped before the last
      handshake, this is a warning. If `--key-type` or `--tls-version` left out some handshakes, this is a note.
      """,
    failing: .live("whole-chain", "The evidence holds api.example.com.", hosts("\n" + web)),
    passing: .live("whole-chain", "The evidence holds api.example.com.", hosts("")),
    citation: "docs/probing.md#a-fleet-in-parts",
    check: .live { _, facts in
      guard facts.live.coversPolicy else { return [] }
      let absent = facts.absentEntries
      guard let first = absent.first else { return (facts.live.fleet?.gaps ?? CoverageGaps(facts)).findings(facts) }
      guard !facts.live.holdsFleet else {
        return absent.map { entry in
          Finding(
            at: entry.written.place, "'\(entry.label)' isn't in the evidence",
            help: "Record new evidence: 'pintle probe \(facts.policy.sources.folder) --record FILE'.")
        }
      }
      // A shard is meant to lack most hosts, so they are listed in one finding.
      let (reason, help) = facts.partReason(isOne: absent.count == 1)
      let hosts = Wording.list(absent.map(\.label), most: 4)
      return [Finding(at: first.written.place, "\(hosts) \(reason)", help: help, severity: .note)]
    })

  private static func hosts(_ more: String) -> String {
    """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }\(more)
    """
  }

  private static let web = """
      - host: www.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
}

extension LiveFacts {
  /// The entries that pin a host of which nothing is known.
  fileprivate var absentEntries: [Policy.HostEntry] {
    policy.hosts.indices.compactMap { index in
      let entry = policy.hosts[index]
      guard entry.mode.value != .off, entry.keySet != nil,
        // Results for subdomains and other names don't cover the host itself.
        (targetsOfEntry[index] ?? []).map({ targets[$0].target })
          .allSatisfy({ $0.host != entry.host || !$0.wasAsked })
      else { return nil }
      return entry
    }
  }

  /// Why a part of the fleet is missing, and what to do.
  fileprivate func partReason(isOne: Bool) -> (reason: String, help: String) {
    guard !assessment.isPartial else {
      return (
        "\(isOne ? "was" : "were") not probed: probing was stopped early",
        "Probe again without stopping, or merge this evidence with evidence of the \(isOne ? "host" : "hosts")."
      )
    }
    let numbers = assessment.shards.prefix(8).map { "\($0.number)/\($0.count)" }.joined(separator: ", ")
    let shards = (assessment.shards.count == 1 ? "shard " : "shards ") + numbers
    return (
      "\(isOne ? "isn't" : "aren't") in this evidence, which covers only \(shards)",
      "Merge the evidence of all shards with 'pintle evidence merge', and use the merged file."
    )
  }
}

/// What is missing of the hosts that are there: an answer to one offer doesn't stand for the others.
struct CoverageGaps: Sendable {
  /// A target with offers that it wasn't asked with.
  private struct Lack: Sendable {
    var place: Place
    var label: String
    var offers: [Evidence.Offer]
  }

  /// Where the first target is, and where the first one of which probing was stopped before its last handshake.
  private var first: Place?
  private var ended: Place?
  private var lack: Lack?
  private var lacking = 0

  init() {}

  init(_ facts: LiveFacts) {
    first = facts.targets.first?.place
    ended = facts.targets.first { $0.target.visits.contains { !$0.wasAsked && !$0.isNotOffered } }?.place
    for target in facts.targets {
      let offers = target.target.missingOffers
      guard !offers.isEmpty else { continue }
      lack = lack ?? Lack(place: target.place, label: target.label, offers: offers)
      lacking += 1
    }
  }

  /// Adds what a later piece of the record showed.
  mutating func add(_ other: CoverageGaps) {
    first = first ?? other.first
    ended = ended ?? other.ended
    lack = lack ?? other.lack
    lacking += other.lacking
  }

  /// All of it in one finding.
  func findings(_ facts: LiveFacts) -> [Finding] {
    let help =
      "Probe again without '--key-type' and '--tls-version', and don't stop it: 'pintle probe "
      + "\(facts.policy.sources.folder) --record FILE'."
    if facts.assessment.isPartial || ended != nil {
      guard let place = ended ?? first else { return [] }
      return [
        Finding(at: place, "the evidence is partial: probing was stopped early", help: help)
      ]
    }
    guard let lack else { return [] }
    let offers = lack.offers.map { "\($0.keyFamily.title) in TLS \($0.tlsVersion.rawValue)" }
    let others =
      lacking > 1
      ? ", and \(lacking > 2 ? "neither were" : "neither was") \(counted(lacking - 1, "other host"))" : ""
    return [
      Finding(
        at: lack.place, "'\(lack.label)' was not probed for \(offers.listed("or"))\(others)",
        help: help,
        severity: .note)
    ]
  }
}

extension AssessedVisit {
  /// True where the server has nothing for the offer.
  fileprivate var isNotOffered: Bool { if case .notOffered = outcome { true } else { false } }
}

extension AssessedTarget {
  /// The offers that one of its addresses wasn't asked with.
  fileprivate var missingOffers: [Evidence.Offer] {
    let byAddress = Dictionary(grouping: visits) { HostLabel.text(host: $0.address, port: $0.port) }
    return Evidence.Offer.all.filter { offer in
      byAddress.values.contains { visits in !visits.contains { $0.offer == offer } }
    }
  }

  /// True where something came of asking, an answer or a failure.
  fileprivate var wasAsked: Bool { visits.isEmpty ? unresolved != nil : visits.contains(where: \.wasAsked) }
}
