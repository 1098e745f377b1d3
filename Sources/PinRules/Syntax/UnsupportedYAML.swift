import Diagnostics
import PinPolicy

extension Rule {
  /// Policies do without the parts of YAML that hide what a file says.
  static let unsupportedYAML = Rule(
    code: "P104",
    name: "unsupported-yaml",
    severity: .error,
    title: "A policy file uses a YAML feature that isn't allowed in policies.",
    rationale: """
      A reviewer must see in one place what holds for a host. Anchors and aliases move meaning elsewhere in the file
      (and can grow without bound), tags change what a value is, and further documents in one file are easily missed.
      Key sets and `defaults:` say what several hosts share.
      """,
    failing: Example(
      """
      version: 1
      defaults: &strict
        mode: enforce
        include-subdomains: true
      """),
    passing: Example(
      """
      version: 1
      defaults:
        mode: enforce
        include-subdomains: true
      """),
    citation: "YAML 1.2.2 sections 6.9.1, 6.9.2, 7.1 and 9.2; docs/policy.md#the-yaml-that-is-read",
    isSuppressible: false,
    check: .problems { problem, input in
      let shared = "Write the value out. What several hosts share belongs in 'defaults:' or in a key set."
      switch problem.kind {
      case .severalDocuments:
        return Finding(
          at: problem.place, "a second YAML document begins here",
          help: "Move what follows into its own file: a directory may have any number of files.")
      case .tag(let tag):
        return Finding(
          at: problem.place, "tag \(Wording.quoted(tag)) isn't allowed in a policy",
          help: "Delete the tag: each field knows what its value is.",
          fixes: input.deletingProperty("the tag", at: problem.place, isPlainTag(tag) ? .safe : .suggested))
      case .anchor(let name):
        return Finding(
          at: problem.place, "anchor \(Wording.quoted("&" + name)) isn't allowed in a policy", help: shared,
          fixes: input.isNamed(name, in: problem.place.file)
            ? [] : input.deletingProperty("the anchor, which nothing names", at: problem.place, .safe))
      case .alias(let name):
        return Finding(at: problem.place, "alias \(Wording.quoted("*" + name)) isn't allowed in a policy", help: shared)
      case .tooDeep(let limit):
        return Finding(
          at: problem.place, "this is nested more than \(limit) levels deep",
          help: "No field of a policy lies so deep: look for a bracket that isn't closed.")
      default: return nil
      }
    })

  /// Tags of YAML's own schema for what policies are made of.
  private static func isPlainTag(_ tag: String) -> Bool {
    ["!!str", "!!int", "!!bool", "!!map", "!!seq", "!"].contains(tag)
  }
}

extension CheckInput {
  /// True where a file names an anchor, or may do so in a part that can't be read.
  fileprivate func isNamed(_ anchor: String, in file: FileID) -> Bool {
    let isWhole = policy.files.first { $0.id == file }?.isComplete ?? false
    return !isWhole
      || policy.problems.contains { problem in
        if case .alias(anchor) = problem.kind { problem.place.file == file } else { false }
      }
  }

  /// Takes an anchor or a tag out, with the space behind it.
  fileprivate func deletingProperty(_ label: String, at place: Place, _ safety: Fix.Safety) -> [Fix] {
    let line = policy.sources.line(place.start.line, of: place.file).map { Array($0.unicodeScalars) } ?? []
    guard place.start.line == place.end.line, place.end.column >= 1 else { return [] }
    var (start, end) = (Int(place.start.column) - 1, Int(place.end.column) - 1)
    guard end <= line.count, start <= end else { return [] }
    if end < line.count {
      while end < line.count, line[end] == " " { end += 1 }
    } else {
      while start > 0, line[start - 1] == " " { start -= 1 }
    }
    var wider = place
    wider.start.column = UInt32(start + 1)
    wider.end.column = UInt32(end + 1)
    return .fix("delete \(label)", safety, [Fix.Edit(replacing: wider, with: "")])
  }
}
