import Diagnostics
import PinPolicy

extension Rule {
  /// A mapping names each field once.
  static let duplicateField = Rule(
    code: "P106",
    name: "duplicate-field",
    severity: .error,
    title: "A mapping has a duplicate field, or two fields that exclude each other.",
    rationale: """
      YAML libraries disagree on which of two equal fields counts: some use the first, some the last, some neither. A
      reviewer who saw one of them can't know what clients got.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          mode: enforce
          keys: public-web
          mode: report-only
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          mode: enforce
          keys: public-web
      """),
    citation: "YAML 1.2.2 section 3.2.1.1",
    isSuppressible: false,
    check: .problems { problem, input in
      func related(_ message: String) -> [Diagnostic.Related] {
        problem.related.map { [Diagnostic.Related(message, at: $0)] } ?? []
      }
      switch problem.kind {
      case .duplicateField(let name):
        return Finding(
          at: problem.place, "duplicate field \(Wording.quoted(name))",
          related: related("first listed here"), help: "Keep the right one, and delete the other.",
          fixes: fixes(problem, name, name, input))
      case .conflictingFields(let name, let other):
        return Finding(
          at: problem.place, "'\(name)' can't be combined with '\(other)'",
          related: related("'\(other)' is here"), help: "Keep one of the two, and delete the other.",
          fixes: fixes(problem, name, other, input))
      default: return nil
      }
    })

  /// Of two fields that say the same one goes; of others a person chooses.
  private static func fixes(_ problem: PolicyProblem, _ name: String, _ other: String, _ input: CheckInput) -> [Fix] {
    guard let first = problem.related, let file = input.file(of: problem.place) else { return [] }
    let isSame = name == other && file.haveSameValue(first, problem.place)
    let later: [Fix] = .fix(
      "delete this \(Wording.quoted(name))", isSame ? .safe : .suggested, file.removing(fieldAt: problem.place))
    if isSame { return later }
    return later
      + .fix("delete the earlier \(Wording.quoted(other))", .suggested, file.removing(fieldAt: first))
  }
}
