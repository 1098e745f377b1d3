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
  /// How many senders ran which serial on a day, where the rule is about that.
  package var adoption: Adoption?
  /// What live servers showed, where the rule is about that.
  package var observed: Observed?
  /// Whose signatures clients have to verify, where the rule is about that.
  package var signers: [(label: String, kind: Policy.SignerKind)] = []
  /// The names of the keyset's signers, where the rule is about that.
  package var signerNames: [String]?
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

extension Example {
  /// An example of one file whose manifest the holder of an Ed25519 key signs.
  static func signed(byEd25519 text: String) -> Example {
    var example = Example(text)
    example.signers = [("'ci'", .ed25519)]
    return example
  }

  /// An example of one file that signers of a keyset own.
  static func owned(by owners: String) -> Example {
    var example = Example("version: 1\nowners: \(owners)\n")
    example.signerNames = ["ci", "dora"]
    return example
  }

  /// An example about a live server: the policy, and what `Tests/Fixtures/examples/evidence/FILE.json` recorded.
  ///
  /// - Parameters:
  ///   - file: The evidence's name.
  ///   - text: What the server did, in a sentence.
  ///   - lines: The hosts of the policy, which follow two keys; by default `api.example.com` with those.
  /// - Returns: The example, checked half a day after the evidence was recorded.
  static func live(_ file: String, _ text: String, _ lines: String? = nil) -> Example {
    var example = Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      \(lines ?? apiHost)
      """, observed: Observed(file, text))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    return example
  }

  private static let apiHost = """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
}

extension Example {
  /// An example about a rotation: what was released before, and the policy now.
  ///
  /// - Parameters:
  ///   - policy: The lines of the policy that follow its keys.
  ///   - keys: What the policy says of some keys besides their files.
  ///   - released: The releases before, the oldest first.
  /// - Returns: The example, checked at the instant of all examples.
  static func rotation(_ policy: String, keys: [String: String] = [:], after released: Released...) -> Example {
    var example = Example(rotationText(policy, keys: keys))
    example.released = released
    return example
  }

  /// An example about a rotation, with what senders ran on one day, by serial.
  static func measured(
    _ policy: String, _ date: String, _ senders: [Int64: Int64], after released: Released...
  ) -> Example {
    var example = Example(rotationText(policy))
    example.released = released
    let day = (Instant(written: date) ?? .earliest).secondsSinceEpoch / 86_400
    example.adoption = Adoption(measured: example.instant, days: [Adoption.Day(number: day, senders: senders)])
    return example
  }

  /// An example about what servers present after a release: nothing changes, and evidence shows it.
  static func observed(_ file: String, _ text: String) -> Example {
    let lines = RotationLines.api("root", backup: "spare")
    var example = Example.rotation(lines, after: .rotation(6, on: "2026-11-01", lines))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    example.observed = Example.Observed(file, text)
    return example
  }

  fileprivate static func rotationText(_ lines: String, keys: [String: String] = [:]) -> String {
    func more(_ key: String) -> String { keys[key].map { ", " + $0 } ?? "" }
    return """
      version: 1
      manifest: { audience: production, client-max-age: 90d }
      keys:
        api-2025: { file: keys/api.pem, position: leaf\(more("api-2025")) }
        api-2027: { file: keys/api-spare.csr, position: leaf\(more("api-2027")) }
        spare: { file: keys/api-spare-2.pem, position: leaf\(more("spare")) }
        root: { file: keys/example-root.pem, position: root\(more("root")) }
      \(lines)
      """
  }
}

extension Example.Released {
  /// A release of the same keys as ``Example/rotation(_:after:)`` with other lines behind them.
  static func rotation(_ serial: Int64, on date: String, _ lines: String) -> Example.Released {
    Example.Released(
      serial: serial, issued: Instant(written: date) ?? .earliest,
      [Example.File(path: "policy.yaml", text: Example.rotationText(lines))])
  }
}

/// Lines of examples about rotation.
enum RotationLines {
  /// `api.example.com` with these keys and further fields.
  static func api(_ active: String, backup: String, _ fields: String...) -> String {
    let lines = [
      "hosts:", "  - host: api.example.com", "    keys: { active: [\(active)], backup: [\(backup)] }",
    ]
    return (lines + fields.map { "    " + $0 }).joined(separator: "\n")
  }
}
