import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A suppression without anything to suppress.
  static let suppressionUnused = Rule(
    code: "P410",
    name: "suppression-unused",
    severity: .warning,
    title: "A suppression matches no finding.",
    rationale: """
      A suppression that hides nothing today would hide the next finding of its code on this line, which nobody has
      reviewed. Often the policy was fixed and the comment was left, or the comment is on another line than the
      finding.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com  # pintle:allow P401 until 2027-02-01: the expiry is settled in January
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "docs/policy.md#accepting-a-finding-for-a-time",
    isSuppressible: false,
    check: .suppressions(unusedSuppressions))
}

private func unusedSuppressions(_ input: CheckInput, _ used: Set<Suppression>) -> [Finding] {
  // What one audience has no use for, another may need.
  let elsewhere = input.policy.audiences.isEmpty ? [] : input.usedElsewhere
  guard !input.policy.suppressions.isEmpty, let elsewhere else { return [] }
  let used = used.union(elsewhere)
  let rules = Dictionary((Rule.catalogue + input.ownRules).map { ($0.code, $0) }) { first, _ in first }
  return input.policy.suppressions.compactMap { suppression in
    guard input.instant < suppression.until, !used.contains(suppression) else { return nil }
    guard let rule = rules[suppression.code] else {
      // A check without the rules file doesn't know the user's own rules, nor one whose programs didn't run.
      if suppression.code.hasPrefix("X"), !input.ownRules.contains(where: \.isSuppressible) { return nil }
      return finding(
        suppression, "there is no rule \(suppression.code)", "Correct the code, or remove the comment.",
        input.deletingCode(of: suppression, .suggested))
    }
    if !rule.isSuppressible {
      return finding(
        suppression, "a finding of \(rule.code) can't be suppressed", "Fix the finding and remove the comment.",
        input.deletingCode(of: suppression, .suggested))
    }
    if !wasAsked(rule, input) { return nil }
    return finding(
      suppression, "no finding of \(rule.code) begins on this line",
      "Remove the comment, or put it on the line that the finding names.",
      input.deletingCode(of: suppression, .safe))
  }
}

/// False where the rule had no chance to find anything.
private func wasAsked(_ rule: Rule, _ input: CheckInput) -> Bool {
  switch rule.check {
  case .keyset, .elsewhere: return false
  // A server that wasn't probed, or is in another shard, may need it.
  case .live: if !(input.live?.isWhole ?? false) { return false }
  case .rotation: if input.rotation == nil { return false }
  case .policy, .suppressions: break
  }
  // What couldn't be read (a key, a date, a misspelt name) wasn't checked by any rule.
  guard input.isReadWhole else { return false }
  return rule.code != Rule.newHostEnforces.code || input.baseline != nil
}

private func finding(
  _ suppression: Suppression, _ message: String, _ help: String, _ fixes: [Fix]
) -> Finding {
  Finding(at: suppression.place, message, help: help, fixes: fixes)
}

extension CheckInput {
  /// Of a comment with more codes than these, none is removed.
  private static let mostCodes = 20

  /// Removes a code from its comment, and the comment with the last of its codes.
  func deletingCode(of suppression: Suppression, _ safety: Fix.Safety) -> [Fix] {
    guard let file = file(of: suppression.place) else { return [] }
    let all = suppressionsByPlace[suppression.place] ?? []
    // The fix of each code rewrites all others, so with many codes the fixes would be too large.
    guard all.count <= Self.mostCodes else { return [] }
    let others = all.filter { $0.code != suppression.code }
    guard let first = others.first else {
      return .fix("delete the comment", safety, file.removing(commentAt: suppression.place))
    }
    let text = SuppressionComment.written(others.map(\.code), until: first.until, reason: first.reason)
    return .fix(
      "take \(suppression.code) out of the comment", safety,
      [Fix.Edit(replacing: suppression.place, with: text)])
  }
}
