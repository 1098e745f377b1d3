package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
package import PinRotation
package import PinStudies

/// Whether a release is safe for the clients of those before it: what `diff` says, where somebody builds or signs it.
package enum ReleaseVerdict {
  case notChecked(because: String)
  /// What `diff` says, and what it was compared with.
  case checked(DiffReport, with: String)

  /// Simulates a policy as `diff` does.
  ///
  /// - Parameters:
  ///   - policy: The policy as it is released.
  ///   - manifest: What it compiles to.
  ///   - last: The release before it.
  ///   - released: What clients have, in order of release; never none.
  ///   - instant: When it is released.
  ///   - ask: Adds what else is known.
  /// - Throws: ``WorkFailure`` where the policy can't be simulated; not for a release that only denies keys.
  package init(
    of policy: LoadedPolicy, as manifest: Manifest, after last: Manifest, among released: [ReleasedManifest],
    at instant: Instant, asking ask: (inout RotationQuestion) -> Void
  ) throws(WorkFailure) {
    do throws(WorkFailure) {
      guard let diff = try DiffReport(of: policy, after: released, at: instant, asking: ask) else {
        self = .notChecked(because: "nothing is released yet")
        return
      }
      let earlier = released.count > 1 ? " and \(counted(released.count - 1, "earlier release"))" : ""
      let evidence = diff.study.question.evidence == nil ? ", without evidence" : ""
      self = .checked(diff, with: "serial \(last.serial)\(earlier)\(evidence)")
    } catch {
      guard manifest.onlyDenies(after: last) else { throw error }
      self = .notChecked(because: "it only denies keys, and \(error.message)")
    }
  }

  /// Whether a manifest may be released only for a reason: a denial too, if it switches off the clients' guard against
  /// lockouts.
  package func needsReason(for manifest: Manifest) -> Bool {
    guard case .checked(let diff, _) = self else { return false }
    return diff.needsReason || manifest.drasticChange != nil && diff.verdict == .unsafe
  }

  /// What is known of the changes that may lock clients out.
  package var check: ChangeRisk.Check {
    switch self {
    case .notChecked: .none
    case .checked(let diff, _): diff.check
    }
  }

  /// As programs read it.
  package var code: String {
    switch self {
    case .notChecked: "not-checked"
    case .checked(let diff, _): diff.verdict.rawValue
    }
  }

  /// `compared with serial 7, without evidence: safe: 42 host entries, 1 changed`, or `NOT CHECKED: …`.
  package var headline: String {
    switch self {
    case .notChecked(let reason): "NOT CHECKED: \(reason)"
    case .checked(let diff, let other): "compared with \(other): \(diff.headline)"
    }
  }
}

extension ReleaseVerdict {
  /// Who owns the entries that change, as the policy says, one line each; empty if the policy isn't here.
  package func owners() -> String {
    guard case .checked(let diff, _) = self else { return "" }
    let policy = diff.study.policy
    let changed = Set(diff.groups.filter(\.isOfEntries).flatMap(\.subjects))
    var owned: [String: [String]] = [:]
    for entry in policy.hosts where changed.contains(entry.label) {
      let file = policy.files.first { $0.id == entry.written.place.file }
      let names = [entry.owner?.value].compactMap(\.self) + (file?.owners.map(\.value) ?? [])
      for name in Set(names) { owned[name, default: []].append(entry.label) }
    }
    return owned.sorted { $0.key < $1.key }
      .map { VisibleText.of("owned by \($0): \(ChangeGroup.list($1))") + "\n" }.joined()
  }

  /// The errors that make a release unsafe, one line each.
  package func errors() -> String {
    guard case .checked(let diff, _) = self else { return "" }
    return diff.report.diagnostics.filter { $0.severity == .error }
      .map { "  \(VisibleText.of($0.message)) [\($0.code)]\n" }.joined()
  }
}
