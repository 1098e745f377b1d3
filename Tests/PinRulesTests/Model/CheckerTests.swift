import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import Testing

@Suite("Checking and suppressions")
struct CheckerTests {
  private static func rule(
    _ code: String, line: Int, file: Int = 0, severity: Severity = .warning, isSuppressible: Bool = true
  ) -> Rule {
    rule(code, severity: severity, isSuppressible: isSuppressible) { _ in
      [Finding(at: Handmade.place(line: line, column: 7, file: file), "found by \(code)", help: "Mend it.")]
    }
  }

  private static func rule(
    _ code: String, severity: Severity = .warning, isSuppressible: Bool = true,
    check: @escaping @Sendable (CheckInput) -> [Finding]
  ) -> Rule {
    Rule(
      code: code, name: "made-up", severity: severity, title: "A test.", rationale: "A test.", failing: Example(""),
      passing: Example(""), citation: "none", isSuppressible: isSuppressible, check: .policy(check))
  }

  private static func suppression(
    _ code: String, line: Int, file: Int = 0, until: Int64 = 86_400
  ) -> Suppression {
    Suppression(
      place: Handmade.place(line: line, column: 40, file: file), code: code,
      until: Handmade.instant.adding(seconds: until), reason: "agreed")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var suppressions: [Suppression]
    var isSuppressible = true
    var isSuppressed: Bool
  }

  @Test(
    arguments: [
      Case(testDescription: "none", suppressions: [], isSuppressed: false),
      Case(testDescription: "its code on its line", suppressions: [suppression("P901", line: 3)], isSuppressed: true),
      Case(testDescription: "another code", suppressions: [suppression("P902", line: 3)], isSuppressed: false),
      Case(testDescription: "another line", suppressions: [suppression("P901", line: 4)], isSuppressed: false),
      Case(testDescription: "another file", suppressions: [suppression("P901", line: 3, file: 1)], isSuppressed: false),
      Case(
        testDescription: "until a second from now", suppressions: [suppression("P901", line: 3, until: 1)],
        isSuppressed: true),
      Case(testDescription: "until now", suppressions: [suppression("P901", line: 3, until: 0)], isSuppressed: false),
      Case(testDescription: "expired", suppressions: [suppression("P901", line: 3, until: -1)], isSuppressed: false),
      Case(
        testDescription: "an expired one beside one that holds",
        suppressions: [suppression("P901", line: 3, until: -1), suppression("P901", line: 3)], isSuppressed: true),
      Case(
        testDescription: "a rule that can't be suppressed", suppressions: [suppression("P901", line: 3)],
        isSuppressible: false, isSuppressed: false),
    ])
  func suppressing(_ test: Case) throws {
    let policy = try Handmade.policy(suppressions: test.suppressions)
    let result = Checker.check(
      CheckInput(policy: policy, at: Handmade.instant),
      rules: [Self.rule("P901", line: 3, isSuppressible: test.isSuppressible)])
    #expect(result.diagnostics.map(\.code) == (test.isSuppressed ? [] : ["P901"]))
    #expect(result.suppressed.map(\.diagnostic.code) == (test.isSuppressed ? ["P901"] : []))
    #expect(result.suppressed.allSatisfy { $0.by.code == "P901" && $0.by.until > Handmade.instant })
  }

  /// The input of a suppression rule: only suppressions that held back a finding were needed.
  @Test func usedSuppressions() throws {
    let needed = Self.suppression("P901", line: 3)
    let policy = try Handmade.policy(suppressions: [
      needed, Self.suppression("P901", line: 5), Self.suppression("P901", line: 3, until: -1),
      Self.suppression("P903", line: 3),
    ])
    let reporter = Rule(
      code: "P902", name: "made-up", severity: .warning, title: "A test.", rationale: "A test.", failing: Example(""),
      passing: Example(""), citation: "none", isSuppressible: false,
      check: .suppressions { input, used in
        input.policy.suppressions.filter { !used.contains($0) }.map {
          Finding(at: $0.place, "not needed", help: "Delete it.")
        } + (used == [needed] ? [] : [Finding(at: needed.place, "used are \(used)", help: "")])
      })
    let stubborn = Self.rule("P903", line: 3, isSuppressible: false)
    let result = Checker.check(
      CheckInput(policy: policy, at: Handmade.instant), rules: [reporter, Self.rule("P901", line: 3), stubborn])
    #expect(result.diagnostics.map(\.code) == ["P903", "P902", "P902", "P902"])
    #expect(result.diagnostics.filter { $0.code == "P902" }.allSatisfy { $0.message == "not needed" })
    #expect(result.suppressed.map(\.by) == [needed])
  }

  @Test func findingsAreSortedByPlaceThenCode() throws {
    let rules = [
      Self.rule("P904", line: 9), Self.rule("P903", line: 2), Self.rule("P902", line: 9, severity: .error),
      Self.rule("P901", line: 1, file: 1),
    ]
    let result = Checker.check(CheckInput(policy: try Handmade.policy(), at: Handmade.instant), rules: rules)
    #expect(result.diagnostics.map(\.code) == ["P903", "P902", "P904", "P901"])
    #expect(result.diagnostics.map(\.severity) == [.warning, .error, .warning, .warning])
  }

  @Test func aFindingMayBeOfItsOwnSeverity() throws {
    let rule = Self.rule("P901", severity: .error) { _ in
      [Finding(at: Handmade.place(line: 1), "of little weight", help: "Mend it.", severity: .note)]
    }
    let result = Checker.check(CheckInput(policy: try Handmade.policy(), at: Handmade.instant), rules: [rule])
    #expect(result.diagnostics.map(\.severity) == [.note])
    #expect(result.diagnostics.map(\.citation) == ["none"])
  }
}
