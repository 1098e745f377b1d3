package import Diagnostics

/// A file of default options: values for options of the command line that repeat.
///
/// Only what can't loosen a verdict is in it; ``refused`` says why the rest isn't.
package struct ProjectDefaults: Sendable {
  /// Each option's values in the order of the file, with their places; a store of `trust-store` as `NAME=FILE`.
  package private(set) var options: [(name: String, value: Located<String>)] = []

  /// More bytes than such a file needs.
  package static let sizeLimit = 64 << 10

  /// Options that only the command line may give, each with the reason.
  package static let refused: [String: String] = {
    let signers = "It names the trusted signers."
    let level = "It decides what fails."
    let exception = "It accepts what would otherwise be rejected."
    let time = "It changes the time of the decision."
    let hides = "It hides findings."
    return [
      "key": signers, "keyset": signers, "threshold": signers, "signed-by": signers, "public-key": signers,
      "authorities": "It can take findings away.", "authorities-keyset": signers,
      "audience": "It says which manifests are accepted.",
      "sign-key": "Only a person or a pipeline decides to sign.", "yes": "Only a person or a pipeline decides to sign.",
      "fail-on": level, "min-success": level, "quiet": hides, "futures": hides,
      "detailed-exitcode": level, "check": level,
      "no-system-store": "It removes a trust store that clients have.", "anchors": "It says which chains are trusted.",
      "allow-mass-change": exception, "skipped-release": exception, "without-comparison": exception,
      "drastic-change": exception, "accept": exception, "force": exception, "fix": "It changes files.",
      "write": "It changes files.", "baseline": "It says what a release is compared with; diff takes 'against'.",
      "at": time, "issued-at": time, "until": time,
    ]
  }()

  /// Reads a file: a function of its bytes alone.
  ///
  /// - Returns: What could be read, and all problems in order of place.
  package static func read(_ bytes: [UInt8], file id: FileID) -> (defaults: ProjectDefaults, problems: [PolicyProblem])
  {
    var defaults = ProjectDefaults()
    let problems = DocumentReader.read(
      bytes, file: id, called: "defaults file", limit: sizeLimit, fields, into: &defaults)
    return (defaults, problems)
  }

  private static let fields = Fields<ProjectDefaults>(
    of: "defaults file", required: ["version"],
    [
      "version": { $1.version() },
      "against": { $0.add("against", $1.scalar(path)) },
      "evidence": { $0.add("evidence", $1.scalar(path)) },
      "trust-store": { defaults, reader in
        reader.entries { reader, name in
          guard let file = reader.scalar(path) else { return }
          defaults.add("trust-store", Located(name.value + "=" + file.value, at: name.place))
        }
      },
      "format": {
        $0.add("format", $1.scalar(.word(ReportFormat.self)).map { Located($0.value.rawValue, at: $0.place) })
      },
      "jobs": { $0.add("jobs", $1.number(in: 1...4_096)) },
      "retries": { $0.add("retries", $1.number(in: 0...10)) },
      "timeout": { $0.add("timeout", $1.number(in: 1...600)) },
    ])

  private static let path = Scalar(expected: "a path, absolute or relative to this file") {
    let text = String($0)
    return text.isEmpty || text.utf8.contains(0) ? nil : text
  }

  private mutating func add(_ name: String, _ value: Located<String>?) {
    if let value { options.append((name, value)) }
  }
}

extension DocumentReader {
  fileprivate mutating func number(in range: ClosedRange<Int>) -> Located<String>? {
    scalar(.number(in: range)).map { Located("\($0.value)", at: $0.place) }
  }
}
