import ArgumentParser
import OpenSSLKit
import Diagnostics
import PinCompiler
import PinPolicy

/// Which policy a command works on.
struct PolicyArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The policy directory, or files of it.", valueName: "path"))
  var paths: [String] = ["policies"]

  func load() throws(CommandFailure) -> LoadedPolicy { try LoadedPolicy.load(paths) }
}

/// A policy, and the files of it that the caller asked about.
struct LoadedPolicy {
  var policy: Policy
  /// Nil for all files.
  var asked: Set<FileID>?

  /// Reads and resolves the policy; what is wrong with it is for the rules to say.
  static func load(_ paths: [String]) throws(CommandFailure) -> LoadedPolicy {
    let directory: PolicyDirectory
    do {
      directory = try PolicyDirectory.load(paths)
    } catch {
      throw CommandFailure(
        .failed, error.message, help: "Name the directory that holds the policy, or files of one directory.")
    }
    do {
      return LoadedPolicy(policy: try directory.policy(), asked: directory.asked)
    } catch {
      throw CommandFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  func isAsked(_ file: FileID) -> Bool { asked?.contains(file) ?? true }
}
