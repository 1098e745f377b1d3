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
      """,
    failing: .live("whole-chain", "The evidence holds api.example.com.", hosts("\n" + web)),
    passing: .live("whole-chain", "The evidence holds api.example.com.", hosts("")),
    citation: "docs/probing.md#a-fleet-in-parts",
    check: .live { _, facts in
      guard facts.live.coversPolicy else { return [] }
      let policy = facts.policy
      return policy.hosts.indices.compactMap { index in
        let entry = policy.hosts[index]
        guard entry.mode.value != .off, entry.keySet != nil else { return nil }
        let targets = (facts.targetsOfEntry[index] ?? []).map { facts.targets[$0].target }
        guard targets.allSatisfy({ !$0.wasAsked }) else { return nil }
        let (reason, help) = facts.absence(isKnown: !targets.isEmpty)
        return Finding(
          at: entry.written.place, "'\(entry.label)' \(reason)", help: help,
          severity: facts.live.holdsFleet ? nil : .note)
      }
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

extension AssessedTarget {
  /// True where something came of asking, an answer or a failure.
  fileprivate var wasAsked: Bool { unresolved != nil || visits.contains(where: \.wasAsked) }
}
