package import PinFormat
package import PinPolicy

/// A small policy that shows a rule, for people to read and for the tests to check.
package struct Example: Sendable {
  /// One file of the example.
  package struct File: Sendable {
    package var path: String
    package var bytes: [UInt8]
    /// What reading the file came upon instead of bytes, where a rule is about that; the text then says so in words.
    package var obstacle: PolicyProblem.Kind?

    package init(path: String, text: String, obstacle: PolicyProblem.Kind? = nil) {
      self.init(path: path, bytes: Array(text.utf8))
      self.obstacle = obstacle
    }

    /// A file of any bytes, for rules about text that isn't text.
    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }

    /// The text as people see it; broken UTF-8 shows as U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Recorded evidence that belongs to an example.
  package struct Observed: Sendable {
    /// The file's name, without `.json`, among those of `Tests/Fixtures/examples/evidence/`.
    package var file: String
    /// What the servers did, in a sentence for people.
    package var text: String

    package init(_ file: String, _ text: String) {
      self.file = file
      self.text = text
    }
  }

  /// A policy that was released before, where the rule compares with what clients have.
  package struct Released: Sendable {
    package var serial: Int64
    package var issued: Instant
    package var files: [File]

    package init(serial: Int64, issued: Instant, _ files: [File]) {
      self.serial = serial
      self.issued = issued
      self.files = files
    }
  }

  package var files: [File]
  /// What was released before, the oldest first.
  package var released: [Released] = []
  /// A manifest that clients have, as canonical JSON of its signed part, where the rule compares with one.
  package var baseline: String?
  /// What live servers showed, where the rule is about that.
  package var observed: Observed?
  /// When the example is checked.
  package var instant: Instant

  /// An example of one file.
  ///
  /// Key files that it names are among those of `Tests/Fixtures/examples/`.
  package init(_ text: String, baseline: String? = nil, observed: Observed? = nil) {
    self.init([File(path: "policy.yaml", text: text)], baseline: baseline, observed: observed)
  }

  package init(_ files: [File], baseline: String? = nil, observed: Observed? = nil) {
    self.files = files
    self.baseline = baseline
    self.observed = observed
    instant = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z
  }

  /// An example about hosts: one file, in which the given lines follow a key set called `public-web`.
  package static func publicWeb(_ lines: String) -> Example {
    Example(
      """
      version: 1
      defaults: { expires: 2027-06-01, on-expiry: report-only }
      keys:
        isrg-root-x1: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [isrg-root-x1], backup: [gts-root-r1] }
      \(lines)
      """)
  }
}
