import ArgumentParser
import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRelease
import PinRules

/// Data on public CAs besides what the program was built with.
struct AuthorityOptions: ParsableArguments {
  @Option(
    name: .customLong("authorities"),
    help: ArgumentHelp(
      "A file with data on CAs, or a directory of such files. Adds to the built-in data, or replaces it. Repeatable.",
      valueName: "path"), completion: .file())
  var paths: [String] = []

  @Option(
    name: .customLong("authorities-keyset"),
    help: ArgumentHelp(
      "Accept only files of --authorities that enough signers of this keyset have signed. A file, or a directory with "
        + "all versions.",
      valueName: "path"), completion: .file())
  var keyset: String?

  func validate() throws {
    if keyset != nil, paths.isEmpty {
      throw ValidationError("--authorities-keyset requires --authorities with the signed file.")
    }
  }

  func library(at instant: Instant) throws(CommandFailure) -> AuthorityLibrary {
    guard !paths.isEmpty else { return .embedded }
    return try AuthorityLibrary.embedded(adding: files(at: instant), at: instant)
  }

  private func files(at instant: Instant) throws(CommandFailure) -> AuthorityFiles {
    let latest = Self.latestReview(at: instant)
    guard let keyset else {
      for path in try files() { try requireUnsigned(path) }
      return try AuthorityFiles(paths, until: latest)
    }
    let walk = try KeysetFiles.walk([keyset], audience: nil)
    // An expired keyset doesn't count again because the rules are evaluated as of an earlier time.
    let now = IssueTime.clock(orLater: instant)
    var texts: [SourceSet.File] = []
    for path in try files() {
      let bytes = try InputFile.read(path, limit: SignedAuthorities.sizeLimit)
      texts.append(
        SourceSet.File(path: path, bytes: try SignedAuthorities.text(bytes, of: path, by: walk, at: now)))
    }
    guard !texts.isEmpty else {
      throw CommandFailure(
        .failed, "no authorities files in \(paths.map { "'\(VisibleText.of($0))'" }.listed())",
        help: "Pass the signed files, which are DSSE envelopes.")
    }
    return AuthorityFiles(SourceSet(texts), until: latest)
  }

  /// The files, and those of directories (not of directories in these) that may be authorities files.
  private func files() throws(CommandFailure) -> [String] {
    var files: [String] = []
    for path in paths {
      guard InputFile.isFolder(path) else {
        files.append(path)
        continue
      }
      let folder = path.hasSuffix("/") ? path : path + "/"
      do throws(ConfinedFolder.Failure) {
        files += try ConfinedFolder(folder).names(in: "")
          .filter { name in [".json", ".yaml", ".yml"].contains { name.hasSuffix($0) } }.map { folder + $0 }
      } catch {
        throw CommandFailure(.failed, "can't read '\(VisibleText.of(path))': \(error.reason)")
      }
    }
    return files
  }

  static func isSigned(_ path: String) -> Bool {
    guard InputFile.isRegular(path), let bytes = try? InputFile.read(path, limit: SignedAuthorities.sizeLimit) else {
      return false
    }
    return SignedAuthorities.isEnvelope(bytes)
  }

  /// Refuses a signed file where there is no keyset to verify it with.
  private func requireUnsigned(_ path: String) throws(CommandFailure) {
    guard Self.isSigned(path) else { return }
    throw CommandFailure(
      .refused, "'\(VisibleText.of(path))' is signed, but no keyset is given to verify it",
      help: "Pass the keyset of its signers, for example --authorities-keyset 1.keyset.json.")
  }

  /// Whether a folder has YAML files, as authorities files are written.
  static func hasYAML(_ folder: String) -> Bool {
    let names = (try? ConfinedFolder(folder.hasSuffix("/") ? folder : folder + "/").names(in: "")) ?? []
    return names.contains { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
  }

  /// The last day on which a file can have been reviewed.
  ///
  /// By the clock as well: with --at in the past, only what was published until then counts, whenever it was reviewed.
  static func latestReview(at instant: Instant) -> Instant {
    IssueTime.clock(orLater: instant).adding(seconds: IssueTime.tolerance)
  }
}
