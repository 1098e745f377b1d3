package import Diagnostics
import Glibc
import OpenSSLKit

/// A policy, and the files of it that the caller asked about.
package struct LoadedPolicy {
  package var policy: Policy
  /// Nil for all files.
  package var asked: Set<FileID>?
  /// The directory, as the caller named it, empty or ending in `/`; nil of files that aren't on disk.
  package var root: String?

  package init(policy: Policy, asked: Set<FileID>? = nil, root: String? = nil) {
    self.policy = policy
    self.asked = asked
    self.root = root
  }

  /// Reads and resolves the policy of one audience; what is wrong with it is for the rules to say.
  ///
  /// The audience is needed where the policy has several.
  package static func load(_ paths: [String], audience: String? = nil) throws(WorkFailure) -> LoadedPolicy {
    let all = try loadEach(paths, audience: audience)
    guard all.count == 1, let policy = all.first else {
      let names = all.first?.policy.audiences ?? []
      throw WorkFailure(
        .usage, "the policy has several audiences: \(names.joined(separator: ", "))",
        help: "Say which one is meant: --audience \(names.first ?? "NAME").")
    }
    return policy
  }

  /// Reads and resolves the policy as each of its audiences has it, or the one that is named.
  package static func loadEach(_ paths: [String], audience: String?) throws(WorkFailure) -> [LoadedPolicy] {
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
    // Nothing would be shown of a policy whose files nobody asked about.
    if let asked = directory.asked, asked.isEmpty, let path = paths.first {
      throw WorkFailure(
        .usage, "'\(VisibleText.of(path))' has tests, and isn't a part of the policy",
        help: "Run them: pintle test \(paths.map(ShellWord.of).joined(separator: " ")). Or name the policy's directory."
      )
    }
    return try directory.loaded(audience: audience)
  }

  /// Reads and resolves the policy of a directory; a file of it won't do, for a reason that is given.
  package static func load(
    wholeOf directory: String, audience: String? = nil, for reason: String
  ) throws(WorkFailure) -> LoadedPolicy {
    let policy = try load([directory], audience: audience)
    guard policy.asked == nil else { throw isFile(directory, reason) }
    return policy
  }

  /// Reads and resolves the policy of a directory as each of its audiences has it, or the one that is named.
  package static func loadEach(
    wholeOf directory: String, audience: String?, for reason: String
  ) throws(WorkFailure) -> [LoadedPolicy] {
    let policies = try loadEach([directory], audience: audience)
    guard policies.allSatisfy({ $0.asked == nil }) else { throw isFile(directory, reason) }
    return policies
  }

  private static func isFile(_ path: String, _ reason: String) -> WorkFailure {
    WorkFailure(.usage, "'\(path)' is a file", help: reason)
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

  /// The audience, of a policy with several; nil of one that makes one manifest.
  package var oneOfSeveral: String? { policy.audiences.isEmpty ? nil : policy.settings?.audience?.value }

  /// Refuses a policy of which a part couldn't be read or resolved: what it seems to lack may be there.
  package func requireWhollyRead() throws(WorkFailure) {
    guard !policy.problems.isEmpty else { return }
    throw WorkFailure(
      .findings, "the policy can't be read as a whole, so it isn't known which hosts it pins",
      help: "Fix what 'pintle check' reports, and run the command again.")
  }

  package func isAsked(_ file: FileID) -> Bool { asked?.contains(file) ?? true }
}

extension PolicyDirectory {
  /// The policy as each of its audiences has it, or the one that is named.
  package func loaded(audience: String?) throws(WorkFailure) -> [LoadedPolicy] {
    var known: [String] = []
    let policies: [Policy]
    do {
      policies = try self.policies { names in
        known = names
        return audience.map { name in names.filter { $0 == name } } ?? names
      }
    } catch {
      throw WorkFailure(.failed, "libcrypto could not work: \(error.message)")
    }
    if let audience {
      // A policy of one audience may be named by it.
      if known.isEmpty { known = policies.compactMap { $0.settings?.audience?.value } }
      guard known.contains(audience) else {
        throw WorkFailure(
          .usage, "the policy has no audience '\(VisibleText.of(audience))'",
          help: known.isEmpty
            ? "No file says 'audience:' or 'audiences:' in 'manifest:'."
            : Suggestion.nearest(to: audience, among: known).map { "Did you mean '\($0)'? " } ?? ""
              + "It has \(known.map { "'\($0)'" }.joined(separator: ", ")).")
      }
    }
    return policies.map { LoadedPolicy(policy: $0, asked: asked, root: files.root) }
  }
}
