import Diagnostics
import Glibc
import OpenSSLKit
import PinPolicy

/// A policy, and the files of it that the caller asked about.
struct LoadedPolicy {
  var policy: Policy
  /// Nil for all files.
  var asked: Set<FileID>?

  /// Reads and resolves the policy; what is wrong with it is for the rules to say.
  static func load(_ paths: [String]) throws(CommandFailure) -> LoadedPolicy {
    guard !paths.contains("") else {
      throw CommandFailure(
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
      throw CommandFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  /// Reads and resolves the policy of a directory; a file of it won't do, for a reason that is given.
  static func load(wholeOf directory: String, for reason: String) throws(CommandFailure) -> LoadedPolicy {
    let policy = try load([directory])
    guard policy.asked == nil else { throw CommandFailure(.usage, "'\(directory)' is a file", help: reason) }
    return policy
  }

  /// What is wrong where no policy is found, and what to do.
  static func failure(_ error: PolicyDirectoryError) -> CommandFailure {
    if case .notAPolicyFile(let path) = error, let bytes = try? Input.read(path, limit: .manifest) {
      if let other = WrongFile.failure(path, bytes, needed: .policy) { return other }
      if FileKind(bytes) == .policy {
        return CommandFailure(
          .failed, error.message, help: "Rename it if it is a policy file, and run the command again.")
      }
    }
    return CommandFailure(.failed, error.message, help: help(error))
  }

  private static func help(_ error: PolicyDirectoryError) -> String {
    let naming = "Name the directory that holds the policy, or files of one directory"
    guard case .unreadable(let path, _) = error else { return naming + "." }
    if access(path, R_OK) != 0, errno == EACCES, let help = UnreadablePath.help(path, EACCES) { return help }
    if let near = UnreadablePath.near(path) { return "Did you mean '\(near)'? " + naming + "." }
    return naming + "; 'pintle init' begins a policy."
  }

  func isAsked(_ file: FileID) -> Bool { asked?.contains(file) ?? true }
}
