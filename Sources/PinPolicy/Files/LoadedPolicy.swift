package import Diagnostics
import Glibc
import OpenSSLKit

/// A policy, and the files of it that the caller asked about.
package struct LoadedPolicy {
  package var policy: Policy
  /// Nil for all files.
  package var asked: Set<FileID>?

  package init(policy: Policy, asked: Set<FileID>? = nil) {
    self.policy = policy
    self.asked = asked
  }

  /// Reads and resolves the policy; what is wrong with it is for the rules to say.
  package static func load(_ paths: [String]) throws(WorkFailure) -> LoadedPolicy {
    guard !paths.contains("") else {
      throw WorkFailure(
        .usage, "the path of the policy is empty",
        help: "Name the directory, such as 'policies'. In a script, check that the variable is set.")
    }
    let directory: PolicyDirectory
    do {
      directory = try PolicyDirectory.load(paths)
    } catch {
      throw Self.failure(error)
    }
    do {
      return LoadedPolicy(policy: try directory.policy(), asked: directory.asked)
    } catch {
      throw WorkFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  /// Reads and resolves the policy of a directory; a file of it won't do, for a reason that is given.
  package static func load(wholeOf directory: String, for reason: String) throws(WorkFailure) -> LoadedPolicy {
    let policy = try load([directory])
    guard policy.asked == nil else { throw WorkFailure(.usage, "'\(directory)' is a file", help: reason) }
    return policy
  }

  /// What is wrong where no policy is found, and what to do.
  package static func failure(_ error: PolicyDirectoryError) -> WorkFailure {
    if case .notAPolicyFile(let path) = error, let bytes = try? InputFile.read(path, limit: InputFile.manifestLimit) {
      if let other = WrongFile.failure(path, bytes, needed: .policy) { return other }
      if FileKind(bytes) == .policy {
        return WorkFailure(
          .failed, error.message, help: "Rename it if it is a policy file, and run the command again.")
      }
    }
    return WorkFailure(.failed, error.message, help: help(error))
  }

  private static func help(_ error: PolicyDirectoryError) -> String {
    let naming = "Name the directory that holds the policy, or files of one directory"
    guard case .unreadable(let path, _) = error else { return naming + "." }
    if access(path, R_OK) != 0, errno == EACCES, let help = UnreadablePath.help(path, EACCES) { return help }
    if let near = UnreadablePath.near(path) { return "Did you mean '\(near)'? " + naming + "." }
    return naming + "; 'pintle init' begins a policy."
  }

  package func isAsked(_ file: FileID) -> Bool { asked?.contains(file) ?? true }
}
