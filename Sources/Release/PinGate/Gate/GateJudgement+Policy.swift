import Diagnostics
import PinFormat
package import PinPolicy
import PinRelease
import PinRules
package import PinStudies
import PinValidator

/// What else is known when a release of the branch's policy is judged: the options of `diff`.
package struct GateQuestion {
  /// What is known of public CAs.
  package var library: AuthorityLibrary
  /// Each record of servers, by its name, adds what they present; without a record, there is one without a name.
  package var records: [(name: String?, add: (inout RotationQuestion) -> Void)]
  /// Rules of the user's own, as the base has them.
  package var rules: BaseRules?

  package init(
    library: AuthorityLibrary, records: [(name: String?, add: (inout RotationQuestion) -> Void)],
    rules: BaseRules? = nil
  ) {
    (self.library, self.records, self.rules) = (library, records, rules)
  }
}

/// The policy: its own errors, and whether a release of it would lock clients out.
extension GateJudgement {
  mutating func compare(_ ask: GateQuestion) throws(WorkFailure) {
    // A release that is added is judged itself, also if the branch's policy has changed since.
    let ofBranch = try sources.branchPolicies()
    // All audiences of the branch at once, as 'check' does it; of a release that is added, there is one.
    var own = try ask.rules?.rules.rules(for: ofBranch, at: instant) ?? []
    for policy in addedPolicies { own += try ask.rules?.rules.rules(for: [policy], at: instant) ?? [] }
    for (index, policy) in (ofBranch + addedPolicies).enumerated() {
      var policy = policy
      policy.policy.library = ask.library
      let own = own.isEmpty ? [] : own[index]
      guard let audience = policy.policy.settings?.audience?.value else {
        try compare(policy, own, with: [], ask)
        continue
      }
      let released = try releases(for: audience)
      if released.isEmpty, !sources.isFirst {
        let name = policy.oneOfSeveral == nil ? "" : audience + "/"
        refuse(
          "policies", "it makes a manifest for '\(audience)', and '\(sources.base.name)' has no release for it",
          "Check the name. If nothing was ever released for it, a person who may push to the base makes the folders "
            + "keysets/\(name) and released/\(name) there, with the first keyset and the first release: 'pintle gate "
            + "--first-release'.")
      }
      try compare(policy, own, with: released, ask)
    }
  }

  private mutating func compare(
    _ policy: LoadedPolicy, _ own: [Rule], with released: [ReleasedManifest], _ ask: GateQuestion
  ) throws(WorkFailure) {
    var input = CheckInput(policy: policy.policy, at: instant)
    input.raisesAnnouncements = false
    input.ownRules = own
    let outcome = CheckedPolicy.check(input)
    guard outcome.checked != nil else {
      let report = outcome.result.report(of: policy, at: instant)
      let found = GateComparison.Found.errors(report, locksOut: outcome.result.locksOut)
      return result.comparisons.append(GateComparison(audience: policy.oneOfSeveral, found: found))
    }
    guard !released.isEmpty else { return }
    for record in ask.records {
      let diff = try DiffReport(of: policy, after: released, at: instant) { question in
        record.add(&question)
        question.ownRules = own
      }
      guard let diff else { continue }
      result.comparisons.append(
        GateComparison(
          audience: policy.oneOfSeveral, evidence: record.name, found: .diff(diff),
          isDrafted: isDrafted(policy, diff.study.world.candidate.audience)))
    }
  }

  /// Whether the branch has a release of this very policy to sign, which nobody refuses.
  private func isDrafted(_ policy: LoadedPolicy, _ audience: String) -> Bool {
    // A release that is added may be of a policy that the branch had before.
    let added = addedPolicies.filter { $0.policy.settings?.audience?.value == audience }.map(\.policy.sourcesDigest)
    let isAdded = added.contains(policy.policy.sourcesDigest)
    return result.signing.flatMap(\.drafts).contains { draft in
      guard draft.content == .manifest, draft.audience == audience, draft.rejection == nil else { return false }
      return draft.path.hasPrefix(EventPath.folder + "/") ? !isAdded : isAdded || added.isEmpty
    }
  }
}
