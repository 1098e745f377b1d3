import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import PinValidator

/// A policy, held against what live servers showed.
///
/// The servers are judged by the policy as it would be released now, so a policy with errors, which could not be
/// released, is reported without them.
struct LiveCheck {
  /// What was found, about the policy and about the servers.
  struct Outcome {
    var result: Checker.Result
    /// Nil where the policy has errors.
    var assessment: Assessment?
  }

  var policy: LoadedPolicy
  var baseline: Manifest?
  var evidence: Evidence
  /// The trust stores to judge under; empty for those that the evidence records.
  var stores: [NamedStore] = []
  var minimumSuccess = MinimumSuccess.all
  /// Where targets of the command line are written.
  var places: [HostPort: Place] = [:]
  /// Whether every pinned host of the policy was to be asked.
  var coversPolicy = true
  /// The rules whose findings are wanted.
  var rules = Rule.catalogue
  var instant: Instant

  /// Checks the policy, judges the servers by it, and asks the rules.
  ///
  /// Where there is no entry, trust alone is judged.
  func run() throws(CommandFailure) -> Outcome {
    var manifest: LoadedManifest?
    if !policy.policy.hosts.isEmpty {
      let input = CheckInput(policy: policy.policy, baseline: baseline, at: instant)
      let alone = CheckedPolicy.check(input)
      guard let checked = alone.checked else { return Outcome(result: alone.result) }
      manifest = try rehearsed(checked)
    }
    let assessment = try assessment(by: manifest)
    let live = LiveInput(
      assessment: assessment, minimumSuccess: minimumSuccess, places: places, coversPolicy: coversPolicy)
    let input = CheckInput(policy: policy.policy, baseline: baseline, live: live, at: instant)
    return Outcome(result: Checker.check(input, rules: rules), assessment: assessment)
  }

  private func rehearsed(_ checked: CheckedPolicy) throws(CommandFailure) -> LoadedManifest {
    do {
      return try checked.rehearsed(at: instant)
    } catch {
      throw CommandFailure(.failed, "the policy can't be compiled for this check: \(error.message)")
    }
  }

  private func assessment(by manifest: LoadedManifest?) throws(CommandFailure) -> Assessment {
    do {
      return try Judge(manifest: manifest, stores: stores).assess(evidence, at: instant)
    } catch {
      throw CommandFailure(.failed, "the evidence can't be evaluated: \(error.message)")
    }
  }
}
