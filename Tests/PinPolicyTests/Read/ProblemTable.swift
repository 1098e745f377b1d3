import Diagnostics
import PinPolicy
import PolicySupport
import Testing

/// A file's text, and its problems as ``describe(_:)`` writes them.
typealias ProblemCase = (text: String, problems: [String])

/// Reads one file and answers its problems as `line:column-column kind`, in order.
func problems(_ text: String) -> [String] { problems(Array(text.utf8)) }

func problems(_ bytes: [UInt8]) -> [String] {
  read(bytes).problems.map(describe)
}

func read(_ bytes: [UInt8]) -> ParsedPolicy {
  PolicyReader.read(SourceSet([SourceSet.File(path: "policy.yaml", bytes: bytes)]))
}

func read(_ text: String) -> ParsedPolicy { read(Array(text.utf8)) }

func describe(_ problem: PolicyProblem) -> String {
  let related = problem.related.map { " <- " + describe($0) } ?? ""
  return "\(describe(problem.place)) \(describe(problem.kind))\(related)"
}

private func describe(_ kind: PolicyProblem.Kind) -> String {
  // The suggested fields have a separate test.
  if case .unknownField(let name, let within, _) = kind {
    return "unknownField(name: \"\(name)\", within: \"\(within)\")"
  }
  return "\(kind)"
}
