import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import Testing

@testable import PinRules
@testable import PinStudies

/// What checking a policy against the releases before it says of the rotation.
struct RotationCheck {
  let result: Checker.Result

  /// - Parameters:
  ///   - example: The policy, and what was released before.
  ///   - allowsMassChange: Whether many hosts may change at once.
  ///   - change: Adds to the question what else is known.
  /// - Throws: Why the policy can't be simulated.
  init(
    _ example: Example, allowsMassChange: Bool = false, _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws {
    let (sources, _) = ExampleCheck.sources(of: example.files)
    let policy = try Resolver.resolve(PolicyReader.read(sources), files: ExampleCheck.keyFiles)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: example.instant))
    let checked = try #require(outcome.checked, "\(outcome.result.diagnostics)")
    var input = try #require(
      try ExampleRotation(example.released).input(for: checked, at: example.instant) { question in
        question.evidence = try example.observed.map { try ExampleEvidence.evidence($0.file) }
        question.adoption = example.adoption
        try change(&question)
      })
    input.allowsMassChange = allowsMassChange
    result = Checker.check(CheckInput(policy: policy, rotation: input, at: example.instant))
  }

  /// `P601 error 10` for each finding about rotation: code, severity and line.
  var findings: [String] { rotation.map { "\($0.code) \($0.severity.rawValue) \($0.place.start.line)" } }

  var suppressed: [String] { result.suppressed.map(\.diagnostic.code) }

  /// The whole text, with help and witness.
  var text: String {
    rotation.map { finding in
      [finding.message, finding.help, finding.witness.map { "\($0.client) \($0.instant) \($0.outcome)" } ?? ""]
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  private var rotation: [Diagnostic] { result.diagnostics.filter { $0.code.hasPrefix("P6") } }
}

/// A rotation, and what the rules say of it.
struct RotationCorner: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var example: Example
  /// As ``RotationCheck/findings`` writes them.
  var findings: [String]
  /// What the messages, helps and witnesses hold.
  var saying: [String]
  /// What none of them holds.
  var unsaid: String?

  init(
    _ description: String, _ example: Example, _ findings: [String] = [], saying: String...,
    withoutSaying unsaid: String? = nil
  ) {
    testDescription = description
    self.example = example
    self.findings = findings
    self.saying = saying
    self.unsaid = unsaid
  }

  func expect(
    allowsMassChange: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws {
    let check = try RotationCheck(example, allowsMassChange: allowsMassChange, change)
    #expect(check.findings == findings, "\(check.text)", sourceLocation: sourceLocation)
    for words in saying { #expect(check.text.contains(words), "\(check.text)", sourceLocation: sourceLocation) }
    if let unsaid { #expect(!check.text.contains(unsaid), "\(check.text)", sourceLocation: sourceLocation) }
  }
}

extension Example {
  /// Hosts on lines of their own, all with one set: `keys: { active: [api-2025], backup: [spare] }` and what follows.
  static func entries(_ entries: String...) -> String { Self.entries(entries) }

  static func entries(_ entries: [String]) -> String {
    (["hosts:"]
      + entries.map { entry in
        entry.contains("mode: off")
          ? "  - { host: \(entry), reason: closed down }"
          : "  - { host: \(entry), keys: { active: [api-2025], backup: [spare] } }"
      }).joined(separator: "\n")
  }
}

extension Example.Released {
  /// Released as serial 6 on a day of the month in which examples are checked.
  static func released(_ lines: String) -> Example.Released { .rotation(6, on: "2026-11-01", lines) }
}
