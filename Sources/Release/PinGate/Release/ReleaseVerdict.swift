package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
package import PinRotation
package import PinStudies

/// Whether a release is safe for the clients of those before it: what `diff` says, where somebody builds or signs it.
package enum ReleaseVerdict {
  case notChecked(because: String)
  /// What `diff` says, and what it was compared with; `needsReason` if it may be released only for a reason.
  case checked(DiffReport, with: String, needsReason: Bool)

  /// Simulates a policy as `diff` does.
  ///
  /// A release needs a reason if it locks clients out. One that only denies keys needs none: it is made in a hurry, and
  /// what it blocks is its purpose. Nor does one that is only large: it locks nobody out. Nor one that changes nothing:
  /// without it, clients would be worse off.
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
    let onlyDenies = manifest.onlyDenies(after: last)
    do throws(WorkFailure) {
      guard let diff = try DiffReport(of: policy, after: released, at: instant, asking: ask) else {
        self = .notChecked(because: "nothing is released yet")
        return
      }
      let isExempt = onlyDenies || diff.isOnlyLarge || ManifestChanges(from: last, to: manifest).isEmpty
      let earlier = released.count > 1 ? " and \(counted(released.count - 1, "earlier release"))" : ""
      let evidence = diff.study.question.evidence == nil ? ", without evidence" : ""
      self = .checked(
        diff, with: "serial \(last.serial)\(earlier)\(evidence)", needsReason: diff.verdict == .unsafe && !isExempt)
    } catch {
      guard onlyDenies else { throw error }
      self = .notChecked(because: "it only denies keys, and \(error.message)")
    }
  }

  /// Whether it may be released only for a reason.
  package var needsReason: Bool {
    guard case .checked(_, _, let needsReason) = self else { return false }
    return needsReason
  }

  /// What is known of the changes that may lock clients out.
  package var check: ChangeRisk.Check {
    switch self {
    case .notChecked: .none
    case .checked(let diff, _, _): diff.check
    }
  }

  /// As programs read it.
  package var code: String {
    switch self {
    case .notChecked: "not-checked"
    case .checked(let diff, _, _): diff.verdict.rawValue
    }
  }

  /// `compared with serial 7, without evidence: safe: 42 host entries, 1 changed`, or `NOT CHECKED: …`.
  package var headline: String {
    switch self {
    case .notChecked(let reason): "NOT CHECKED: \(reason)"
    case .checked(let diff, let other, _): "compared with \(other): \(diff.headline)"
    }
  }
}

extension ReleaseVerdict {
  /// The errors that make a release unsafe, one line each.
  package func errors() -> String {
    guard case .checked(let diff, _, _) = self else { return "" }
    return diff.report.diagnostics.filter { $0.severity == .error }
      .map { "  \(VisibleText.of($0.message)) [\($0.code)]\n" }.joined()
  }
}

extension Manifest {
  /// Whether all that changes for clients is that keys are denied, which key sets then no longer have.
  package func onlyDenies(after before: Manifest) -> Bool {
    let denied = Dictionary(keys.filter { $0.denied != nil }.map { ($0.pin, $0) }) { first, _ in first }
    guard ManifestChanges(from: before, to: self).denials.contains(where: \.isDenied) else { return false }
    var expected = before
    let names = Set(before.keys.filter { denied[$0.pin] != nil }.map(\.name))
    expected.keys = before.keys.filter { denied[$0.pin] == nil } + denied.values
    expected.keys.sort { $0.name.precedes($1.name) }
    for number in expected.keySets.indices {
      expected.keySets[number].active.removeAll(where: names.contains)
      expected.keySets[number].backup.removeAll(where: names.contains)
    }
    return ManifestChanges(from: expected, to: self).isEmpty
  }
}
