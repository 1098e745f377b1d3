import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Data on public CAs that nobody has compared with its sources for a long time.
  static let oldKnowledge = Rule(
    code: "P347",
    name: "old-knowledge",
    severity: .note,
    title: "The data on public CAs was last reviewed more than half a year ago.",
    rationale: """
      `pintle` never fetches data on CAs: it is built into the program, or comes from the files of `--authorities`. What
      CAs have announced since the last review isn't in it, so `pintle check` can miss it.
      """,
    failing: .authoritiesIn2028, passing: .publicWeb("hosts: [{ host: api.example.com, keys: public-web }]"),
    citation: "docs/authorities.md",
    check: .policy { input in
      let known = input.authorities.known
      guard !input.authorities.keys.isEmpty, let reviewed = known.reviewed, known.isOld else { return [] }
      return [
        Finding(
          at: input.policy.settings?.place ?? .beginning(of: FileID(0)),
          "the data on public CAs was last reviewed on \(input.day(of: reviewed))",
          help: "Install a newer version of pintle, or pass newer files with --authorities.")
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
