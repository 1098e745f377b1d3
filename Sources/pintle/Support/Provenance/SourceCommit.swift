import PinPolicy
import PinRules

/// The commit that a manifest names as that of its sources.
enum SourceCommit {
  /// What asks git for it.
  static let question = "git"

  /// The commit as it was given; for `git`, the one that is checked out.
  ///
  /// That one has to hold the very sources that are compiled: what is only on this disk can't be compiled again by anybody
  /// else. Files that aren't the policy's may differ.
  ///
  /// - Parameters:
  ///   - given: What the caller says.
  ///   - policy: The policy as it is compiled.
  ///   - directory: Where it lies.
  /// - Returns: The commit's id, or nil where nobody says.
  /// - Throws: ``CommandFailure`` where git doesn't know, or the sources aren't committed.
  static func resolve(
    _ given: String?, for policy: LoadedPolicy, in directory: String
  ) throws(CommandFailure) -> String? {
    guard given == question else { return given }
    let commit = try GitCommit(of: directory, at: "HEAD")
    let committed = try CommitPolicy.load(commit, named: "HEAD")
    guard committed.policy.sourcesDigest == policy.policy.sourcesDigest else {
      throw CommandFailure(
        .failed,
        "'\(directory)' isn't what the commit \(commit.id) has, so the manifest can't name that as its sources",
        help: "Commit what 'git status --ignored \(directory)' lists, or remove it, and build again.")
    }
    return commit.id
  }
}
