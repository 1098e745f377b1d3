import PinFormat
import PinPolicy
import PinRules

/// Where the sources of a manifest are: a directory, or a directory as a commit has it.
enum PolicySource {
  case directory(String)
  /// The commit that the manifest names, where there is no other reference.
  case commit(reference: String?, directory: String)

  private static let commitMark = "git:"

  /// Reads `DIRECTORY` or `git:[COMMIT][:DIRECTORY]`; a directory whose name begins so is written `./git:…`.
  init(_ text: String) {
    guard text.utf8.starts(with: Self.commitMark.utf8) else {
      self = .directory(text)
      return
    }
    let parts = text.dropFirst(Self.commitMark.count).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    let directory = parts.count > 1 && !parts[1].isEmpty ? parts[1] : "policies"
    self = .commit(reference: parts[0].isEmpty ? nil : parts[0], directory: directory)
  }

  /// Reads the policy.
  ///
  /// - Parameter provenance: What the manifest says of its sources.
  /// - Returns: The policy, what messages call it, and the commit that it is of.
  /// - Throws: ``CommandFailure`` where it isn't there, or git doesn't know it.
  func load(
    for provenance: Manifest.Provenance
  ) throws(CommandFailure) -> (policy: LoadedPolicy, name: String, commit: String?) {
    switch self {
    case .directory(let path):
      let policy = try LoadedPolicy.load(
        wholeOf: path, for: "A manifest is compiled from all of a policy: name its directory.")
      return (policy, path, nil)
    case .commit(let reference, let directory):
      guard let reference = reference ?? provenance.commit else {
        throw CommandFailure(
          .usage, "the manifest names no commit of its sources",
          help:
            "Name one: --source git:COMMIT; or the sources' directory. 'pintle build --commit git' lets a manifest name it."
        )
      }
      let commit = try GitCommit(of: directory, at: reference)
      return (try CommitPolicy.load(commit, named: reference), "git:\(reference):\(directory)", commit.id)
    }
  }
}
