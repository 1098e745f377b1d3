import Diagnostics
import PinPolicy

extension Rule {
  /// Policies do without the parts of YAML that hide what a file says.
  static let unsupportedYAML = Rule(
    code: "P104",
    name: "unsupported-yaml",
    severity: .error,
    title: "A policy file uses a part of YAML that policies do without.",
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
    check: .problems { problem in
      let shared = "Write the value out. What several hosts share belongs in 'defaults:' or in a key set."
      switch problem.kind {
      case .severalDocuments:
        return Finding(
          at: problem.place, "a second YAML document begins here",
          help: "Move what follows into a file of its own: a directory may hold as many as you like.")
      case .tag(let tag):
        return Finding(
          at: problem.place, "tag \(Wording.quoted(tag)) isn't allowed in a policy",
          help: "Delete the tag: each field knows what its value is.")
      case .anchor(let name):
        return Finding(
          at: problem.place, "anchor \(Wording.quoted("&" + name)) isn't allowed in a policy", help: shared)
      case .alias(let name):
        return Finding(at: problem.place, "alias \(Wording.quoted("*" + name)) isn't allowed in a policy", help: shared)
      case .tooDeep(let limit):
        return Finding(
          at: problem.place, "this is nested more than \(limit) levels deep",
          help: "No field of a policy lies so deep: look for a bracket that isn't closed.")
      default: return nil
      }
    })
}
