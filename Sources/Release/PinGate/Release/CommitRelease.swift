package import Diagnostics
import PinFormat
import PinPolicy
package import PinRelease
import PinRules

/// The policy as a commit has it, compiled in memory: what was released then, where releases are made of commits.
package enum CommitRelease {
  /// The audiences that a policy directory has in a commit; none where it makes one manifest.
  package static func audiences(_ reference: String, of directory: String) throws(WorkFailure) -> [String] {
    try CommitPolicy.load(GitCommit(of: directory, at: reference), named: reference, audience: nil).policy.audiences
  }

  /// Compiles a policy directory as a commit has it.
  ///
  /// It is judged at the commit's own date: that something has run out since doesn't mean that it can't have been
  /// released.
  ///
  /// - Parameters:
  ///   - reference: What names the commit.
  ///   - directory: The policy directory on disk.
  ///   - audience: Of several audiences, the one that is meant.
  /// - Returns: What such a release says, dated as the commit is; nil where the audience is newer.
  /// - Throws: ``WorkFailure`` where the commit has no policy that could have been released.
  package static func load(
    _ reference: String, of directory: String, audience: String? = nil
  ) throws(WorkFailure) -> ReleasedManifest? {
    let commit = try GitCommit(of: directory, at: reference)
    let name = "git:" + reference
    let policy = try CommitPolicy.load(commit, named: reference, audience: audience)
    if let audience, policy.policy.settings?.audience?.value != audience { return nil }
    let checked = try policy.checked(
      at: commit.instant,
      orFail: WorkFailure(
        .failed, "the policy of '\(name)' has errors, so it can't have been released",
        help: "Compare with a later commit, or with the released manifests: --against DIRECTORY --key release.key.pub."
      ),
      showsErrorsAlone: true)
    do {
      // Only for its errors: settings that a release requires may be missing.
      _ = try checked.lowered(
        as: Release(serial: 1, issued: commit.instant, previous: nil, commit: commit.id, compiler: Version.compiler))
    } catch {
      throw WorkFailure(.failed, "the policy of '\(name)' can't have been released: \(error.message)")
    }
    do {
      return ReleasedManifest(
        name: name, serial: nil, issued: commit.instant, digest: nil,
        loaded: try checked.rehearsed(at: commit.instant), window: checked.policy.effectiveSettings.clientMaxAge)
    } catch {
      throw WorkFailure(.failed, "the policy of '\(name)' can't be tried as a manifest: \(error.message)")
    }
  }
}
