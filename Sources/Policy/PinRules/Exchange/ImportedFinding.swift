package import Diagnostics

extension Rule {
  /// What a rule about imported files says of a place in one.
  ///
  /// - Parameters:
  ///   - code: `P901` to `P912`, `P917`.
  ///   - place: In the file that was read.
  ///   - message: What is wrong: a clause.
  ///   - help: What to do: a sentence.
  /// - Returns: The diagnostic, or nil where there is no rule of that code.
  package static func imported(_ code: String, at place: Place, _ message: String, help: String) -> Diagnostic? {
    exchangeRules.first { $0.code == code }?.diagnostic(Finding(at: place, message, help: help))
  }
}

// Files without a finding, in the formats of the examples of import.

extension Example {
  /// Android's network security configuration.
  static let networkConfiguration = networkConfiguration(attributes: "")

  /// The same with attributes of the element that has the pins.
  static func networkConfiguration(attributes: String) -> Example {
    Example([
      Example.File(
        path: "network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config\(attributes)>
              <domain>api.example.com</domain>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ])
  }

  /// Chromium's list of preloaded pins.
  static let preloadedPins = Example([.entriesOfPreload, .pinsOfPreload])
}

extension Example.File {
  static let entriesOfPreload = Example.File(
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
      """)

  static let pinsOfPreload = Example.File(
    path: "transport_security_state_static.pins",
    text: """
      # 1795219200 is 2026-11-21.
      PinsListTimestamp
      1795219200

      ExampleRoot
      sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=

      ExampleSpare
      sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=
      """)
}
