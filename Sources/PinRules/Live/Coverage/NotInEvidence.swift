import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned host that nobody asked.
  static let notInEvidence = Rule(
    code: "P538",
    name: "not-in-evidence",
    severity: .warning,
    title: "A pinned host isn't in the evidence.",
    rationale: """
      Evidence says nothing about a host that it doesn't hold. Mostly the entry was added after it was recorded. Where the
      evidence is one part of a fleet, or probing was ended early, the host may be in another part, and this is a note.
      Where all hosts are there, but probing was ended before everything had been asked of them, that is a warning; that
      only some offers were made, by `--key-type` or `--tls-version`, is a note.
      """,
    failing: .live("whole-chain", "The evidence holds api.example.com.", hosts("\n" + web)),
    passing: .live("whole-chain", "The evidence holds api.example.com.", hosts("")),
    citation: "docs/probing.md#a-fleet-in-parts",
    check: .live { _, facts in
      guard facts.live.coversPolicy else { return [] }
      let policy = facts.policy
      let missing = policy.hosts.indices.compactMap { index -> Finding? in
        let entry = policy.hosts[index]
        guard entry.mode.value != .off, entry.keySet != nil else { return nil }
        // Subdomains and other names say nothing of the host itself.
        let targets = (facts.targetsOfEntry[index] ?? []).map { facts.targets[$0].target }.filter {
          $0.host == entry.host
        }
        guard targets.allSatisfy({ !$0.wasAsked }) else { return nil }
        let (reason, help) = facts.absence(isKnown: !targets.isEmpty)
        return Finding(
          at: entry.written.place, "'\(entry.label)' \(reason)", help: help,
          severity: facts.live.holdsFleet ? nil : .note)
      }
      return missing.isEmpty ? facts.gaps : missing
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
  /// Why a host may be missing, and what to do.
  fileprivate func absence(isKnown: Bool) -> (reason: String, help: String) {
    if assessment.isPartial {
      return (
        isKnown ? "was not asked before probing was ended" : "isn't in the evidence, which is partial",
        "Let probing run to its end, or merge this evidence with one that holds the host."
      )
    }
    if !live.holdsFleet {
      let shards = assessment.shards.prefix(8).map { "\($0.number)/\($0.count)" }.joined(separator: ", ")
      return (
        "isn't in this evidence, which is of shard \(shards) only",
        "Merge the evidence of all shards with 'pintle evidence merge' and check with that."
      )
    }
    return ("isn't in the evidence", "Record the evidence anew: 'pintle probe --record FILE'.")
  }
}

extension LiveFacts {
  /// What is missing of the hosts that are there, in one finding: an answer to one offer doesn't stand for the others.
  fileprivate var gaps: [Finding] {
    let help = "Let probing run to its end with all offers: 'pintle probe --record FILE'."
    let ended = targets.first { $0.target.visits.contains { !$0.wasAsked && !$0.isNotOffered } }
    if assessment.isPartial || ended != nil {
      guard let place = (ended ?? targets.first)?.place else { return [] }
      return [
        Finding(at: place, "the evidence is partial: probing was ended before everything had been asked", help: help)
      ]
    }
    let lacking = targets.filter { !$0.target.missingOffers.isEmpty }
    guard let first = lacking.first else { return [] }
    let offers = first.target.missingOffers.map { "\($0.keyFamily.title) in TLS \($0.tlsVersion.rawValue)" }
    let others =
      lacking.count > 1
      ? ", nor \(lacking.count > 2 ? "were" : "was") \(counted(lacking.count - 1, "other target"))" : ""
    return [
      Finding(
        at: first.place, "'\(first.label)' was not asked for \(Wording.plainList(offers, joinedBy: "or"))\(others)",
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
  fileprivate var wasAsked: Bool { unresolved != nil || visits.contains(where: \.wasAsked) }
}
