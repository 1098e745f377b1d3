import Diagnostics
import PinFormat
package import PinPolicy
import PinRelease

/// A policy without a finding at the level `error`.
///
/// Only checking makes one, and only one can be lowered, so that nothing is ever built from a policy with errors.
package struct CheckedPolicy: Sendable {
  package let policy: Policy

  /// What checking found, and the policy where nothing of it is an error.
  package struct Outcome: Sendable {
    package let result: Checker.Result
    package let checked: CheckedPolicy?
  }

  /// Asks all rules, and then whether clients would load what is built of it, which signing asks too.
  ///
  /// - Parameters:
  ///   - input: All that rules may know.
  ///   - clientFileBytes: The largest manifest file that clients load; their default where nil.
  ///   - isRehearsed: False where the manifest is built and signed next.
  /// - Returns: What was found, and the policy if nothing of it is an error.
  package static func check(
    _ input: CheckInput, clientFileBytes: Int? = nil, isRehearsed: Bool = true
  ) -> Outcome {
    var result = Checker.check(input)
    guard !result.diagnostics.contains(where: { $0.severity == .error }) else {
      return Outcome(result: result, checked: nil)
    }
    let checked = CheckedPolicy(policy: input.policy)
    guard isRehearsed,
      let problem = checked.whyNotLoaded(at: input.instant, clientFileBytes ?? FormatLimits.clientFileBytes)
    else {
      return Outcome(result: result, checked: checked)
    }
    result.diagnostics.append(problem)
    result.diagnostics.sort()
    return Outcome(result: result, checked: nil)
  }

  private init(policy: Policy) {
    self.policy = policy
  }
}

extension CheckedPolicy {
  /// Why clients would not load the manifest of the policy; nil if they would, or if it has no hosts yet.
  func whyNotLoaded(at instant: Instant, _ clientFileBytes: Int) -> Diagnostic? {
    guard !policy.hosts.isEmpty else { return nil }
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let bytes: [UInt8]
    do {
      bytes = try lowered(standingIn: release).signedBytes()
    } catch {
      return Rule.unbuildable(policy, error.message, help: "Fix this, and run the command again.")
    }
    let limit = clientFileBytes - FormatLimits.releaseBytes
    guard bytes.count <= limit else {
      return Rule.unbuildable(
        policy, "it has \(bytes.count) bytes; the limit is \(limit)",
        help:
          "Let one entry with 'include-subdomains: true' stand for many, name trust certificates in fewer entries, or "
          + "give each kind of client its own policy.")
    }
    do {
      _ = try ManifestReader.read(bytes, signed: bytes.startIndex..<bytes.endIndex)
      return nil
    } catch {
      return Rule.unbuildable(
        policy, error.description, help: "Fix what is named; a suppressed error in this policy may be the cause.")
    }
  }
}
