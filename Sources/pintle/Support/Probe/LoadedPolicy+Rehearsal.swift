import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRules
import PinValidator

extension LoadedPolicy {
  /// No policy at all, for commands that then look at trust alone.
  static func none() throws(CommandFailure) -> LoadedPolicy {
    do {
      let digest = SHA256Digest(try SHA256.digest(of: []))
      return LoadedPolicy(
        policy: Policy(
          sources: SourceSet([]), settings: nil, keys: [], keySets: [], hosts: [], certificates: [],
          sourcesDigest: digest, suppressions: [], problems: []))
    } catch {
      throw CommandFailure(.failed, "libcrypto failed: \(error.message)")
    }
  }

  /// The policy as clients would have it if it were released now.
  ///
  /// A policy with errors makes no manifest: they are shown, and end the command as they end `build`.
  func rehearsed(at instant: Instant) throws(CommandFailure) -> LoadedManifest {
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: instant))
    guard let checked = outcome.checked else { throw Self.errors(outcome.result, of: self, at: instant) }
    do {
      return try checked.rehearsed(at: instant)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }

  /// Shows the errors of a policy, and answers how they end a command.
  static func errors(_ result: Checker.Result, of policy: LoadedPolicy, at instant: Instant) -> CommandFailure {
    Console.say(ReportOptions.text(result, of: policy, at: instant))
    return CommandFailure(
      .findings, "the policy has errors, so it can't be checked against the servers",
      help: "Fix the errors above and run the command again.")
  }
}
