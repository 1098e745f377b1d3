import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A chain with more paths to an anchor than are evaluated.
  static let unjudgedPaths = Rule(
    code: "P529",
    name: "unjudged-paths",
    severity: .warning,
    title: "A server's chain has more paths to an anchor than are evaluated.",
    rationale: """
      If CAs are cross-signed or a certificate was issued twice, one chain has several paths to an anchor, and the policy
      must hold on each path that a client can take. Every further certificate multiplies the paths, so the search stops
      after sixteen. No chain that a CA documents comes near that: this one is a mistake, or was made to hide something. What
      Pintle's validator decides is known; what other clients decide isn't.
      """,
    failing: .live(
      "tangled", "The server sends four certificates of its intermediate, and five of the one above it.",
      """
        tangled-root: { file: tangled/root.pem }
      hosts:
        - host: live.example.com
          keys: { active: [tangled-root], backup: [other-root] }
      """),
    passing: .live("staple-good", "The server sends one certificate of its intermediate.", Example.liveLeaf),
    citation: "docs/validation.md#which-path",
    check: .live { _, facts in
      facts.visitFindings { visit in
        let judgements = visit.report.judgements.filter(\.isCutShort)
        guard let most = judgements.map(\.paths.count).max() else { return nil }
        return VisitPhrase(
          "sends a chain with more paths to an anchor than are evaluated; the limit is \(most)",
          help: "Have the server send only one certificate of each intermediate, as its CA documents them.")
      }
    })
}
