/// A format that Pintle read or wrote once, and no longer does: a command that is given its name says what to use instead.
package struct FormerFormat: Sendable {
  /// What the command line called it.
  package let name: String
  /// The first version without it.
  package let since: String
  /// What to use in place of the import, as an instruction.
  package let insteadOfImport: String
  /// The same for the export; nil for a format that was only read.
  package let insteadOfExport: String?

  /// All of them, by name.
  package static let all = [
    FormerFormat(
      name: "firefox", since: "0.1.0",
      insteadOfImport: "Run 'pintle find StaticHPKPins.h' to list its pins; Chromium's list is imported as 'chromium'.",
      insteadOfExport: nil),
    FormerFormat(
      name: "hpkp", since: "0.1.0", insteadOfImport: "Run 'pintle find FILE' to list the pins of a header.",
      insteadOfExport: "No browser reads the header any more. 'pintle export --list' shows the formats."),
    FormerFormat(
      name: "react-native-ssl-manager", since: "0.1.0",
      insteadOfImport: "Run 'pintle find ssl_config.json' to list its pins, and write the hosts as a policy.",
      insteadOfExport: nil),
    FormerFormat(
      name: "wultra", since: "0.1.0",
      insteadOfImport:
        "Its fingerprints are of certificates, not of keys: run 'pintle pin FILE' on each certificate, or 'pintle find "
        + "FILE' on text that has pins.",
      insteadOfExport: nil),
  ]
}
