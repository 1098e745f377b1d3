package import PinFormat

/// A small policy that shows a rule, for people to read and for the tests to check.
package struct Example: Sendable {
  /// One file of the example.
  package struct File: Sendable {
    package var path: String
    package var text: String

    package init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  package var files: [File]
  /// A manifest that clients have, as canonical JSON of its signed part, where the rule compares with one.
  package var baseline: String?
  /// When the example is checked.
  package var instant: Instant

  /// An example of one file.
  ///
  /// Key files that it names are among those of `Tests/Fixtures/examples/`.
  package init(_ text: String, baseline: String? = nil) {
    self.init([File(path: "policy.yaml", text: text)], baseline: baseline)
  }

  package init(_ files: [File], baseline: String? = nil) {
    self.files = files
    self.baseline = baseline
    instant = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z
  }
}
