package import Diagnostics
import OpenSSLKit
package import PinFormat
package import PinPolicy
import PinRelease
package import PinValidator

extension LoadedPolicy {
  /// No policy at all, for commands that then look at trust alone.
  package static func none() throws(WorkFailure) -> LoadedPolicy {
    do {
      let digest = SHA256Digest(try SHA256.digest(of: []))
      return LoadedPolicy(
        policy: Policy(
          sources: SourceSet([]), settings: nil, keys: [], keySets: [], hosts: [], certificates: [],
          sourcesDigest: digest, suppressions: [], problems: []))
    } catch {
      throw WorkFailure(.failed, "libcrypto failed: \(error.message)")
    }
  }

  /// The policy, if it has no errors.
  ///
  /// - Parameters:
  ///   - instant: The instant that counts as now.
  ///   - failure: What is wrong where it has errors, which are shown before.
  ///   - isUnsafe: Whether errors that say that clients would be locked out make it an unsafe rotation.
  ///   - showsErrorsAlone: Whether warnings and notes are left out there.
  /// - Returns: The policy, checked.
  /// - Throws: The failure, shown after the findings.
  package func checked(
    at instant: Instant, orFail failure: WorkFailure, isUnsafe: Bool = false, showsErrorsAlone: Bool = false
  ) throws(WorkFailure) -> CheckedPolicy {
    var input = CheckInput(policy: policy, at: instant)
    input.raisesAnnouncements = false
    let outcome = CheckedPolicy.check(input)
    if let checked = outcome.checked { return checked }
    var result = outcome.result
    if showsErrorsAlone { result.diagnostics.removeAll { $0.severity != .error } }
    var failure = failure
    if isUnsafe, outcome.result.locksOut { failure.kind = .unsafeRotation }
    throw failure.shown(after: [TextRenderer().render(result.report(of: self, at: instant))])
  }

  /// The policy as clients would have it if it were released now; one with errors makes no manifest.
  package func rehearsed(at instant: Instant) throws(WorkFailure) -> LoadedManifest {
    let checked = try checked(at: instant, orFail: Self.errors)
    do {
      return try checked.rehearsed(at: instant)
    } catch {
      throw WorkFailure(.failed, error.message)
    }
  }

  /// Why servers aren't judged by a policy that has errors.
  package static let errors = WorkFailure(
    .findings, "the policy has errors, so it can't be checked against the servers",
    help: "Fix the errors above and run the command again.")
}

extension Checker.Result {
  /// Whether an error says that clients can't verify what servers are to present.
  package var locksOut: Bool {
    diagnostics.contains { $0.code == Rule.unverifiableKey.code && $0.severity == .error }
  }

  /// The findings of the files that were asked for, as every renderer takes them.
  package func report(of source: LoadedPolicy, at instant: Instant) -> Report {
    let asked = diagnostics.filter { source.isAsked($0.place.file) }
    var report = Report(
      diagnostics: [],
      suppressed: suppressed.filter { source.isAsked($0.diagnostic.place.file) }.map {
        Report.Suppressed($0.diagnostic, reason: $0.by.reason, until: $0.by.until.description)
      },
      sources: source.policy.sources, rules: rules, tool: .pintle, instant: instant.description)
    // The most serious first, then by place: during an outage nobody reads beyond the first findings.
    report.diagnostics = Cascade(of: source.policy).withoutConsequences(asked)
    report.diagnostics = report.gravestFirst
    if source.policy.problems.contains(where: { $0.kind == .noPolicyFiles }) { report.outcome = "no policy files" }
    if asked.count > 1 { report.hosts = Set(source.policy.hosts.flatMap { [$0.label, $0.host.text] }) }
    return report
  }
}
