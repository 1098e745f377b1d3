import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// `--against`, what clients have.
struct AgainstOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What clients have: a released manifest, a directory of all released manifests, or 'git:REF' (the policy of a commit).",
      valueName: "baseline"), completion: .file())
  var against: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key (PEM) that signed released manifests. Repeatable.", valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Option(help: ArgumentHelp("How many of the keys must have signed; 1 unless given.", valueName: "count"))
  var threshold: Int?

  @Option(
    help: ArgumentHelp(
      "The keyset of the signers, in place of --key: a file, or a folder of all its versions.",
      discussion:
        "With a folder, signatures that an earlier version accepts count too, because clients may still have it.",
      valueName: "path"), completion: .file())
  var keyset: String?

  @Option(help: .newAudience)
  var newAudience: [String] = []

  func validate() throws {
    guard let option = keyset != nil ? "--keyset" : keys.isEmpty ? nil : "--key" else { return }
    guard let source else { throw ValidationError("\(option) requires --against.") }
    if !source.isSigned {
      throw ValidationError("\(option) can't be combined with 'git:REF': a commit isn't signed.")
    }
  }

  /// The options for commands in help; placeholders for a commit, from which nothing is built.
  var given: [String] {
    guard let against, case .path? = source else { return CheckInput.placeholders }
    return ["--against", against] + (keyset.map { ["--keyset", $0] } ?? keys.flatMap { ["--key", $0] })
  }

  /// The folder of all releases, if one was named.
  var folder: String? {
    guard case .path(let path) = source, InputFile.isFolder(path) else { return nil }
    return path
  }

  private var source: ReleasedSource? { against.map { ReleasedSource($0) } }

  /// Reads what clients have.
  ///
  /// - Parameters:
  ///   - directory: The policy directory, whose repository `git:REF` is about.
  ///   - audience: Of several, the one whose releases count, which may have none.
  /// - Returns: The releases in order, none where nobody says.
  /// - Throws: ``CommandFailure``, with exit status 6 where a manifest is refused.
  func load(policy directory: String, for audience: String? = nil) throws(CommandFailure) -> [ReleasedManifest] {
    let found = try released(policy: directory, for: audience)
    if let against, let audience, found.isEmpty {
      try NewAudience.require(audience, isAmong: newAudience, in: against)
    }
    return found
  }

  /// What the clients of an audience have that the policy no longer has.
  struct Dropped {
    let audience: String
    /// In order; never none.
    let releases: [ReleasedManifest]
    /// What to do if it has no clients any more.
    let removal: String

    var newest: ReleasedManifest { releases[releases.count - 1] }
  }

  /// Finds the audiences that clients have and the policy no longer has.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - directory: Its directory.
  /// - Returns: Their releases, by audience.
  /// - Throws: ``CommandFailure``, as ``load(policy:for:)``.
  func dropped(by policy: Policy, in directory: String) throws(CommandFailure) -> [Dropped] {
    let audiences = policy.audiences.isEmpty ? [policy.settings?.audience?.value].compactMap(\.self) : policy.audiences
    guard let first = audiences.first else { return [] }
    var known: [String] = []
    var removal = ""
    switch source {
    case nil: break
    case .commit(let reference):
      known = try CommitRelease.audiences(reference, of: directory)
      removal = "compare with a commit that doesn't have it"
    case .path(let path):
      // One manifest's releases are in the folder itself, and read already.
      known =
        policy.audiences.isEmpty
        ? InputFile.isFolder(path) ? try ReleasedFiles.folders(in: path) : []
        : try ReleasedFiles.audiences(in: path) { () throws(WorkFailure) in try trust(for: first, path) }
      removal = "move its releases out of '\(VisibleText.of(path))'"
    }
    var dropped: [Dropped] = []
    for name in known where !audiences.contains(name) {
      do throws(CommandFailure) {
        let releases = try released(policy: directory, for: name)
        if !releases.isEmpty { dropped.append(Dropped(audience: name, releases: releases, removal: removal)) }
      } catch {
        var failure = error
        failure.message =
          "for the audience '\(VisibleText.of(name))', which the policy no longer has: \(error.message)"
        failure.help = "Keep its keyset as long as it has clients. If it has none any more, \(removal)."
        throw failure
      }
    }
    return dropped
  }

  /// Who signs releases, and how many of them must; nil where nobody says.
  func signers(for audience: String?) throws(CommandFailure) -> (names: [String], threshold: Int)? {
    guard case .path(let path)? = source else { return nil }
    guard let signers = try trust(for: audience, path).keyset?.keyset.signers else { return (keys, threshold ?? 1) }
    return (signers.keys, signers.threshold)
  }

  private func trust(for audience: String?, _ path: String) throws(CommandFailure) -> Trust {
    let keyset = keyset.map { AudienceFolder.path(in: $0, audience) }
    guard let trust = try Trust.load(keys: keys, threshold: threshold, keyset: keyset) else {
      throw Trust.missing(for: path)
    }
    return trust
  }

  /// The same, none of a new audience too.
  func released(policy directory: String, for audience: String?) throws(CommandFailure) -> [ReleasedManifest] {
    switch source {
    case nil: return []
    case .commit(let reference):
      return try CommitRelease.load(reference, of: directory, audience: audience).map { [$0] } ?? []
    case .path(let path):
      return try ReleasedFiles(trust: trust(for: audience, path)).all(path, for: audience)
    }
  }
}
