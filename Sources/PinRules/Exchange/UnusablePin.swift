import Diagnostics

extension Rule {
  /// A pin that is none.
  static let unusablePin = Rule(
    code: "P901",
    name: "unusable-pin",
    severity: .error,
    title: "A pin of an imported file is none, and was left out.",
    rationale: """
      A text that isn't SHA-256 of a public key matches no chain, so the host is held to fewer keys than its file
      names: to none of them, perhaps. Some libraries drop such a pin without a word and others refuse the whole file;
      which of the two the app does can't be seen here. A certificate's fingerprint can't be turned into a pin either:
      the key isn't in it.
      """,
    failing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63"
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
    citation: "RFC 7469 section 2.4; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
