import Diagnostics
import OpenSSLKit
import PinPolicy

/// The policy as a commit has it.
enum CommitPolicy {
  /// More files than any policy has, and more bytes: limits on what a mistake can cost.
  private static let fileLimit = 10_000
  private static let byteLimit = 256 << 20

  /// Reads and resolves the policy directory of a commit; what is wrong with it is for the rules to say.
  ///
  /// - Parameters:
  ///   - commit: The directory in the commit.
  ///   - reference: What named the commit, for messages.
  /// - Returns: The policy, none of whose files is read from disk.
  /// - Throws: ``CommandFailure`` where it isn't a policy's size.
  static func load(_ commit: GitCommit, named reference: String) throws(CommandFailure) -> LoadedPolicy {
    let sizes = commit.files.lazy.filter { PolicyDirectory.isOfPolicy($0.path) }.map { file in
      if case .file(let size) = file.kind { size } else { 0 }
    }
    guard sizes.count <= fileLimit, sizes.reduce(0, +) <= byteLimit else {
      throw CommandFailure(
        .failed, "the policy of 'git:\(reference)' has more than \(fileLimit) files or \(byteLimit >> 20) MiB",
        help: "Keep the policy in a directory that holds nothing else.")
    }
    let root = VisibleText.of(reference) + ":" + (commit.path.isEmpty ? "" : commit.path + "/")
    let source = PolicyDirectory(commit.files, root: root) { path throws(FileReadError) in try commit.read(path) }
    do {
      return LoadedPolicy(policy: try source.policy())
    } catch {
      throw CommandFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }
}
