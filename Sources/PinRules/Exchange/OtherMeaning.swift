import Diagnostics

extension Rule {
  /// What only the format can say.
  static let otherMeaning = Rule(
    code: "P904",
    name: "other-meaning",
    severity: .warning,
    title: "A policy can't say what the imported file says, and was made stricter.",
    rationale: """
      Formats have notions that a policy lacks on purpose: names one label below a host and no deeper, names below a
      host without the host itself, a denied key for some hosts and not for others, reports in clear text. What is
      written covers all that the file covers and more, so nothing that was protected is open; but a name that nobody
      thought of may now be held to these keys.
      """,
    failing: Example([
      Example.File(
        path: "transport_security_state_static_pins.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "static_spki_hashes": ["ExampleRoot", "ExampleSpare"] },
            { "name": "strict", "static_spki_hashes": ["ExampleRoot"], "bad_static_spki_hashes": ["ExampleSpare"] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains": true, "pins": "example" }
            ]
          }
          """),
      Example.File(
        path: "transport_security_state_static.pins",
        text: """
          # 1795219200 is 2026-11-21.
          PinsListTimestamp
          1795219200

          ExampleRoot
          sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=

          ExampleSpare
          sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=
          """),
    ]),
    passing: Example([
      Example.File(
        path: "transport_security_state_static_pins.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "static_spki_hashes": ["ExampleRoot", "ExampleSpare"] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains": true, "pins": "example" }
            ]
          }
          """),
      Example.File(
        path: "transport_security_state_static.pins",
        text: """
          # 1795219200 is 2026-11-21.
          PinsListTimestamp
          1795219200

          ExampleRoot
          sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=

          ExampleSpare
          sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=
          """),
    ]),
    citation: "docs/policy.md#semantics; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
