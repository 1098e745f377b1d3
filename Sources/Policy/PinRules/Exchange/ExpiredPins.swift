import Diagnostics

extension Rule {
  /// Pins that clients don't enforce any more.
  static let expiredPins = Rule(
    code: "P906",
    name: "expired-pins",
    severity: .warning,
    title: "The pins of an imported file have expired, so clients no longer enforce them.",
    rationale: """
      An expired file looks like protection but gives none: clients connect without pins, and nothing reports it. These
      pins were not tested since they expired, so the policy only reports mismatches until they are checked.
      """,
    failing: Example([
      .entriesOfPreload,
      Example.File(
        path: "transport_security_state_static.pins",
        text: """
          # 1795219200 is 2026-11-21.
          PinsListTimestamp
          1777939200

          ExampleRoot
          sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=

          ExampleSpare
          sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=
          """),
    ]),
    passing: .preloadedPins,
    citation: "Android, Network Security Configuration, pin-set expiration; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
