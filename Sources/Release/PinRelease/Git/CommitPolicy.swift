package import Diagnostics
import OpenSSLKit
package import PinFormat
package import PinPolicy

/// The policy as a commit has it.
package enum CommitPolicy {
  /// More files than any policy has, and more bytes: limits on what a mistake can cost.
  private static let fileLimit = 10_000
  private static let byteLimit = 256 << 20

  /// Reads and resolves the policy directory of a commit; what is wrong with it is for the rules to say.
  ///
  /// - Parameters:
  ///   - commit: The directory in the commit.
  ///   - reference: What named the commit, for messages.
  ///   - audience: Of several audiences, the one that is meant; the first unless given.
  /// - Returns: The policy, none of whose files is read from disk.
  /// - Throws: ``WorkFailure`` where it isn't a policy's size.
  package static func load(
    _ commit: GitCommit, named reference: String, audience: String? = nil
  ) throws(WorkFailure) -> LoadedPolicy {
    let source = try directory(of: RepositoryTree(commit), named: reference, root: root(of: commit, reference))
    do {
      return LoadedPolicy(policy: try source.policy(for: audience))
    } catch {
      throw WorkFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  /// The same for each of its audiences; `root` is what messages show in front of a path.
  package static func loadEach(
    _ tree: RepositoryTree, named reference: String, root: String
  ) throws(WorkFailure) -> [LoadedPolicy] {
    try directory(of: tree, named: reference, root: root).loaded(audience: nil)
  }

  private static func root(of commit: GitCommit, _ reference: String) -> String {
    VisibleText.of(reference) + ":" + (commit.path.isEmpty ? "" : commit.path + "/")
  }

  private static func directory(
    of tree: RepositoryTree, named reference: String, root: String
  ) throws(WorkFailure) -> PolicyDirectory {
    let sizes = tree.files.lazy.filter { PolicyDirectory.isOfPolicy($0.path) }.map { file in
      if case .file(let size) = file.kind { size } else { 0 }
    }
    guard sizes.count <= fileLimit, sizes.reduce(0, +) <= byteLimit else {
      throw WorkFailure(
        .failed, "the policy of 'git:\(reference)' has more than \(fileLimit) files or \(byteLimit >> 20) MiB",
        help: "Keep the policy in a directory that holds nothing else.")
    }
    return PolicyDirectory(tree.files, root: root) { path throws(FileReadError) in try tree.read(path) }
  }
}

/// Where the sources of a manifest are: a directory, or a directory as a commit has it.
package enum PolicySource {
  case directory(String)
  /// The commit that the manifest names, where there is no other reference.
  case commit(reference: String?, directory: String)

  private static let commitMark = "git:"

  /// Reads `DIRECTORY` or `git:[COMMIT][:DIRECTORY]`; a directory whose name begins so is written `./git:…`.
  package init(_ text: String) {
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
  /// - Parameters:
  ///   - provenance: What the manifest says of its sources.
  ///   - audience: The manifest's.
  /// - Returns: The policy, what messages call it, and the commit that it is of.
  /// - Throws: ``WorkFailure`` where it isn't there, or git doesn't know it.
  package func load(
    for provenance: Manifest.Provenance, audience: String
  ) throws(WorkFailure) -> (policy: LoadedPolicy, name: String, commit: String?) {
    switch self {
    case .directory(let path):
      let policies = try LoadedPolicy.loadEach(
        wholeOf: path, audience: nil, for: "A manifest is compiled from all of a policy: name its directory.")
      // Another audience than the policy has is a difference like any other.
      return (policies.first { $0.policy.settings?.audience?.value == audience } ?? policies[0], path, nil)
    case .commit(let reference, let directory):
      guard let reference = reference ?? provenance.commit else {
        throw WorkFailure(
          .usage, "the manifest names no commit of its sources",
          help:
            "Name one: --source git:COMMIT; or the sources' directory. 'pintle build --commit git' lets a manifest name it."
        )
      }
      let commit = try GitCommit(of: directory, at: reference)
      let policy = try CommitPolicy.load(commit, named: reference, audience: audience)
      return (policy, "git:\(reference):\(directory)", commit.id)
    }
  }
}

/// The commit that a manifest names as that of its sources.
package enum SourceCommit {
  /// What asks git for it.
  package static let question = "git"

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
  /// - Throws: ``WorkFailure`` where git doesn't know, or the sources aren't committed.
  package static func resolve(
    _ given: String?, for policy: LoadedPolicy, in directory: String
  ) throws(WorkFailure) -> String? {
    guard given == question else { return given }
    let commit = try GitCommit(of: directory, at: "HEAD")
    let committed = try CommitPolicy.load(
      commit, named: "HEAD", audience: policy.oneOfSeveral)
    guard committed.policy.sourcesDigest == policy.policy.sourcesDigest else {
      throw WorkFailure(
        .failed,
        "'\(directory)' isn't what the commit \(commit.id) has, so the manifest can't name that as its sources",
        help: "Commit what 'git status --ignored \(directory)' lists, or remove it, and build again.")
    }
    return commit.id
  }
}
