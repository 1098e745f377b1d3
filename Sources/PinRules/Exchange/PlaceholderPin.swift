import Diagnostics

extension Rule {
  /// A pin that nobody has a key for.
  static let placeholderPin = Rule(
    code: "P907",
    name: "placeholder-pin",
    severity: .warning,
    title: "A pin of an imported file is a placeholder.",
    rationale: """
      Files are copied from documentation, and what stood there for a backup stays. Nobody has a key for a text of words
      or patterns, so it is no backup. Beside real pins it is left out, which changes nothing for clients. Where it is
      the only one, no server satisfies it, and it is kept: without it the host would not be pinned. A pin that
      documentation shows is often the key of a real CA, and stays.
      """,
    failing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
              ]
            }
          }
          """)
    ]),
    passing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
              ]
            }
          }
          """)
    ]),
    citation: "RFC 7469 section 4.3; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
