import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A chain with more ways to an anchor than anybody looks at.
  static let unjudgedPaths = Rule(
    code: "P529",
    name: "unjudged-paths",
    severity: .warning,
    title: "A server's chain has more paths to an anchor than are judged.",
    rationale: """
      Where authorities are cross-signed or a certificate was issued twice, one chain has several paths to an anchor, and
      the policy must hold on each that a client can take. The paths multiply with every further certificate, so after
      sixteen the search ends. No chain that a CA documents comes near that: this one is a mistake, or was made so that
      something is overlooked. What Pintle's validator decides is known all the same; what other clients would isn't.
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
          "sends a chain with more paths to an anchor than are judged: \(most) were",
          help: """
            Have the server send one certificate of each intermediate, as its CA's documentation gives them, and nothing \
            else.
            """)
      }
    })
}
