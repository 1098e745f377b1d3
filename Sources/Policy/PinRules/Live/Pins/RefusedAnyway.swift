import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A server that clients refuse although its chain is fine and its pins are not what they ask about.
  static let refusedAnyway = Rule(
    code: "P519",
    name: "refused-anyway",
    severity: .error,
    title: "Clients block a server whatever it presents.",
    rationale: """
      The policy decides before any chain is evaluated: the entry has expired with `on-expiry: block`, or no entry pins the
      host and `unpinned-hosts: deny` blocks such hosts. Or a key of the chain can't be read, so it could be a denied one. The
      server can be in perfect order; its clients are locked out all the same.
      """,
    failing: .live("whole-chain", "The server's chain is valid and ends in the pinned root.", blocking("2026-11-01")),
    passing: .live("whole-chain", "The server's chain is valid and ends in the pinned root.", blocking("2027-06-01")),
    citation: "docs/policy.md#the-order-of-a-decision",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        var groups: [(objection: VisitPhrase, cells: Set<Cell>)] = []
        for judged in target.judged {
          guard let objection = facts.objection(to: judged, of: target) else { continue }
          if let index = groups.firstIndex(where: { $0.objection == objection }) {
            groups[index].cells.insert(judged.cell)
          } else {
            groups.append((objection, [judged.cell]))
          }
        }
        guard let first = groups.first else { return nil }
        let cells = target.judged.map(\.cell)
        let parts = groups.map { $0.objection.message + CellScope($0.cells, among: cells).text() }
        return target.finding(
          "'\(target.label)' is blocked by clients: " + LiveFacts.joined(parts), help: first.objection.help)
      }
    })

  private static func blocking(_ expires: String) -> String {
    """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
        expires: \(expires) # pintle:allow P403 until 2027-03-01: the service is closed down
        on-expiry: block
    """
  }
}

extension LiveFacts {
  /// Nil where clients accept the server, or another rule says why they don't.
  ///
  /// Every verdict that isn't `allow` ends in a finding, so a kind of block that nobody thought of is one as well.
  fileprivate func objection(to judged: LiveTarget.Judged, of target: LiveTarget) -> VisitPhrase? {
    guard case .unknown = pinState(judged, of: target), let verdict = judged.path.verdict else { return nil }
    // Each trust failure has its own rule.
    guard judged.path.failures.isEmpty || !target.isAnswerable || verdict.isWithoutChain else { return nil }
    switch verdict {
    case .allow: return nil
    case .notPinned:
      guard target.isPinned else { return nil }
      return VisitPhrase(
        "the manifest doesn't pin it", help: "Look up which entry covers the host with 'pintle show'.")
    case .block(let reason, _):
      let cause = Cause(reason)
      // Of an entry, only what is released counts.
      let isOfEntry = if case .expired(.entry) = reason { true } else { false }
      return VisitPhrase(cause.clause, help: cause.remedy + (isOfEntry ? ", and release the policy." : "."))
    }
  }
}

extension Verdict {
  /// True where it was known before a chain was looked at, so that nothing about the chain explains it.
  fileprivate var isWithoutChain: Bool {
    switch self {
    case .block(.expired, _), .block(.unpinnedHost, _), .block(.noManifest, _), .block(.invalidHost, _): true
    case .allow, .block, .notPinned: false
    }
  }
}
