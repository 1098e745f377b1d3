import Diagnostics

extension Rule {
  /// Hosts without pins.
  static let nothingPinned = Rule(
    code: "P911",
    name: "nothing-pinned",
    severity: .note,
    title: "An imported file has hosts without pins.",
    rationale: """
      A preload list is mostly about HSTS, and a network configuration about cleartext. A policy is about pins, so these
      hosts get no entry. They are counted, so that a list without any pins isn't mistaken for one that was imported.
      """,
    failing: Example([
      .pinsOfPreload,
      Example.File(
        path: "transport_security_state_static.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "static_spki_hashes": ["ExampleRoot", "ExampleSpare"] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains_for_pinning": true, "pins": "example" },
              { "name": "www.example.com", "mode": "force-https" }
            ]
          }
          """),
    ]),
    passing: .preloadedPins,
    citation: "RFC 6797 section 5; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
