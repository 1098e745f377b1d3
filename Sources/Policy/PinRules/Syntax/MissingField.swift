import Diagnostics
import PinPolicy

extension Rule {
  /// Fields without which their mapping says nothing must be there.
  static let missingField = Rule(
    code: "P107",
    name: "missing-field",
    severity: .error,
    title: "A required field is missing.",
    rationale: """
      Without its `version` a file can't be read safely by a later compiler, without its `host` an entry protects
      nothing, and an exception without its reason and its end is one that nobody can review.
      """,
    failing: .publicWeb(
      """
      hosts:
        - port: 8443
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          port: 8443
          keys: public-web
      """),
    citation: "docs/policy.md#reference",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .missingField(let name, let within) = problem.kind,
        !input.unread.isMisspelt(name, in: within, of: problem.place.file)
      else { return nil }
      let help = name == "version" ? "Begin the file with 'version: 1'." : "Add '\(name):'."
      return Finding(
        at: problem.place, "'\(name)' is missing in \(Wording.mapping(within))", help: help,
        fixes: name == "version"
          ? .fix("begin with 'version: 1'", .suggested, input.file(of: problem.place)?.addingAtTop("version", "1")) : []
      )
    })
}
