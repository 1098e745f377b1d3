import Diagnostics

extension Rule {
  /// What only the format can say.
  static let otherMeaning = Rule(
    code: "P904",
    name: "other-meaning",
    severity: .warning,
    title: "A policy can't say what the imported file says, and was made stricter.",
    rationale: """
      Some formats can say what a policy leaves out on purpose: names exactly one label below a host, names below a host
      without the host itself, a key that is denied for some hosts only, reports in clear text. The policy covers
      everything that the file covers and more, so nothing loses its protection. But these keys may now be required for
      names that nobody thought of.
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
      .pinsOfPreload,
    ]),
    passing: .preloadedPins,
    citation: "docs/policy.md#semantics; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
