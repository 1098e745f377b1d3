package import Diagnostics
package import PinFormat
package import PinPolicy
import PinProbe
package import PinRelease
package import PinRotation
import PinRules

/// What a release would change, and whether it is safe: all that a diff shows.
package struct DiffReport {
  package enum Verdict: String {
    case safe
    case safeWithWarnings = "safe-with-warnings"
    /// It locks nobody out, and changes so much at once that somebody has to say that it is meant.
    case large
    case unsafe
  }

  package let study: RotationStudy
  package let comparison: RotationStudy.Comparison
  package let groups: [ChangeGroup]
  /// The findings, the gravest first.
  package let report: Report
  /// Clients, servers and names that nothing is reported about.
  package let blindSpots: [String]

  package var changes: ManifestChanges { comparison.changes }

  package init(_ study: RotationStudy, _ comparison: RotationStudy.Comparison, allowsMassChange: Bool) {
    self.study = study
    self.comparison = comparison
    groups = ChangeGroup.all(
      of: comparison.changes, from: comparison.newest, to: study.world.candidate, detail: .brief)
    blindSpots = study.blindSpots + BlindSpot.outdated(study.scenario) + BlindSpot.names(under: comparison.changes)
    var result = study.findings(on: comparison, allowsMassChange: allowsMassChange)
    result.diagnostics.sort { $0.severity == $1.severity ? $0 < $1 : $0.severity > $1.severity }
    result.suppressed.sort { left, right in
      let (one, other) = (left.diagnostic, right.diagnostic)
      return one.severity == other.severity ? one < other : one.severity > other.severity
    }
    var report = result.report(of: LoadedPolicy(policy: study.policy), at: study.question.now)
    report.outcome = comparison.changes.counts
    self.report = report
  }

  /// Simulates a policy, released after what clients have; nil where nothing is released yet.
  ///
  /// - Parameters:
  ///   - policy: The policy as it is released.
  ///   - released: What clients have, in order of release.
  ///   - now: The instant that counts as now.
  ///   - ask: Adds what else is known.
  /// - Throws: ``WorkFailure`` where the policy has errors, or can't be simulated.
  package init?(
    of policy: LoadedPolicy, after released: [ReleasedManifest], at now: Instant,
    asking ask: (inout RotationQuestion) -> Void = { _ in }
  ) throws(WorkFailure) {
    let study = try RotationStudy(of: policy, after: released, at: now, asking: ask)
    guard let comparison = study.comparison() else { return nil }
    self.init(study, comparison, allowsMassChange: false)
  }

  package var verdict: Verdict {
    let errors = errors
    if !errors.isEmpty { return errors.allSatisfy { $0.code == Rule.massChange.code } ? .large : .unsafe }
    return report.diagnostics.contains { $0.severity == .warning } ? .safeWithWarnings : .safe
  }

  /// Whether all that changes for clients is that keys are denied, and nobody is locked out for another reason: what it
  /// blocks is then its purpose.
  package var onlyDenies: Bool {
    study.world.candidate.onlyDenies(after: comparison.newest)
      && errors.allSatisfy { [Rule.clientsLockedOut.code, Rule.massChange.code].contains($0.code) }
      && caused.allSatisfy { $0.cause == .denied && $0.lockout.phase.part.source != .planned }
  }

  /// Whether it may be released only for a reason, because it locks clients out.
  ///
  /// Not one that only denies keys, which is made in a hurry. Nor one that changes nothing, if no step that the policy
  /// plans locks anybody out: without it, clients would be worse off.
  package var needsReason: Bool {
    guard verdict == .unsafe, !onlyDenies else { return false }
    return !changes.isEmpty || caused.contains { $0.lockout.phase.part.source == .planned }
  }

  private var errors: [Diagnostic] { report.diagnostics.filter { $0.severity == .error } }

  /// The lockouts that the release, or a step that its policy plans, makes.
  private var caused: [JudgedLockout] {
    JudgedLockout.known(study.lockouts, in: study.scenario).filter(\.isCaused)
  }

  /// Changes of trust that nobody could try.
  private var isUntried: Bool {
    report.diagnostics.contains { $0.code == Rule.trustTightened.code && $0.severity != .note }
  }

  /// What is known of the changes that may lock clients out.
  package var check: ChangeRisk.Check {
    if verdict == .unsafe { return .unsafe }
    return isUntried ? .onlyPins : study.world.assessment == nil ? .assumed : .safe
  }

  /// `unsafe, 1 error, 2 warnings, 1 finding suppressed: 42 host entries, 1 added, 3 changed`.
  ///
  /// It doesn't say `safe` alone while clients are locked out for another reason, or may be: `pins safe, 1 server
  /// unhealthy, …`.
  package var headline: String { headline(of: report.diagnostics.map { FindingGroup($0) }) }

  /// The same, where findings of one cause count as one.
  package func headline(of groups: [FindingGroup]) -> String {
    let counts = Report.counts(of: groups)
    let found = counts.isEmpty ? "" : ", " + counts
    let accepted = report.suppressed.isEmpty ? "" : ", " + counted(report.suppressed.count, "finding") + " suppressed"
    let others = study.alreadyBroken + (isUntried ? [RotationStudy.untried] : [])
    let safe = others.isEmpty ? "safe" : (["pins safe"] + others).joined(separator: ", ")
    let large = others.isEmpty ? "locks nobody out, but is large" : "large, " + safe
    let word =
      switch verdict {
      case .safe, .safeWithWarnings: safe
      case .large: large
      case .unsafe: onlyDenies ? "only denies keys, and locks clients out that need them" : "unsafe"
      }
    return word + found + accepted + ": " + changes.counts
  }

  /// What was compared, and how much of it is known.
  package var circumstances: [String] { [releases, outlook] + planned + [evidence] + measured + blindSpots }

  private var measured: [String] { (study.measured?.notes.first).map { ["adoption: " + $0] } ?? [] }

  private var releases: String {
    let released = study.question.released
    guard let last = released.last else { return "" }
    let dropped = released.prefix { ReleasedManifest.isBefore(last, $0) }.count
    let first = released[dropped]
    let names =
      released.count - dropped == 1
      ? "\(first.name) of \(first.issued)"
      : "\(released.count - dropped) releases, \(first.name) of \(first.issued) to \(last.name) of \(last.issued)"
    return "compared with \(names)"
      + (dropped == 0 ? "" : ", and with \(counted(dropped, "release")) that the keyset drops, which clients may have")
  }

  private var outlook: String {
    "clients may keep a release for \(Wording.duration(study.scenario.window)) after the next; "
      + "looked ahead to \(study.scenario.end)"
  }

  /// What the policy plans and was played: no host changes by it yet.
  private var planned: [String] {
    let steps = study.plannedSteps.filter { study.question.now < $0.instant && $0.instant < study.scenario.end }
      .sorted { ($0.instant, $0.key) < ($1.instant, $1.key) }
    let names = RotationPlanText.plain(steps.map { "'\($0.key)' \($0.status) from \($0.instant)" })
    return steps.isEmpty ? [] : ["planned steps included: \(names)"]
  }

  private var evidence: String {
    guard let assessment = study.world.assessment else {
      return "no evidence: servers are assumed to present any of their active keys"
    }
    let age = study.question.now.seconds(since: assessment.ended)
    // Servers that aren't in the evidence, or that didn't answer, are judged as if there were no evidence.
    let unseen = study.scenario.servers.count { $0.phases.first?.source == .assumed }
    let servers = counted(study.scenario.servers.count - unseen, "server")
    return "\(servers) observed \(assessment.ended)" + (age >= 3_600 ? ", \(Wording.duration(age)) ago" : "")
      + (unseen == 0 ? "" : "; \(counted(unseen, "server")) not observed: assumed to present any of its active keys")
  }
}
