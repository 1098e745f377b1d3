import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Knowledge of public CAs that nobody has compared with its sources for a long time.
  static let oldKnowledge = Rule(
    code: "P347",
    name: "old-knowledge",
    severity: .note,
    title: "What is known of public CAs was last reviewed more than half a year ago.",
    rationale: """
      `pintle` never fetches what it knows of CAs: it comes with the program, or from files that are given with
      `--authorities`. What CAs have announced since the last review is missing, so a clean check says less.
      """,
    failing: .authoritiesIn2028, passing: .publicWeb("hosts: [{ host: api.example.com, keys: public-web }]"),
    citation: "docs/authorities.md",
    check: .policy { input in
      let known = input.authorities.known
      guard !input.authorities.keys.isEmpty, let reviewed = known.reviewed, known.isOld else { return [] }
      return [
        Finding(
          at: input.policy.settings?.place ?? .beginning(of: FileID(0)),
          "what is known of public CAs was last reviewed on \(input.day(of: reviewed))",
          help: "Install a newer version of pintle, or give newer files with --authorities.")
      ]
    })
}

extension Example {
  /// Keys of public CAs, checked long after the program was made.
  fileprivate static var authoritiesIn2028: Example {
    var example = publicWeb("hosts: [{ host: api.example.com, keys: public-web }]")
    example.instant = Instant(written: "2028-01-01") ?? example.instant
    return example
  }
}
