import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// Whose signatures a manifest must bear, and whom it must be meant for.
struct VerificationOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp("A public key (PEM) of a trusted signer; its signatures count. Repeatable.", valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Option(help: ArgumentHelp("How many of the keys must have signed; 1 unless given.", valueName: "count"))
  var threshold: Int?

  @Option(
    help: ArgumentHelp(
      "The keyset of the signers, in place of --key: a file, or a folder of all its versions. The first one is trusted.",
      valueName: "path"), completion: .file())
  var keyset: String?

  @Option(
    help: ArgumentHelp("The audience that the manifest must be for, such as production.", valueName: "name"))
  var audience: String?

  /// True where nobody says anything of signatures.
  var isEmpty: Bool { isEmptyButAudience && audience == nil }

  var isEmptyButAudience: Bool { keys.isEmpty && threshold == nil && keyset == nil }

  /// Whose signatures count, nil where nobody says; `other` is the audience if none is named.
  func trust(for other: String? = nil) throws(CommandFailure) -> Trust? {
    // Those of one of several audiences may be in a folder of its name.
    let keyset = keyset.map { AudienceFolder.path(in: $0, audience ?? other) }
    return try Trust.load(keys: keys, threshold: threshold, keyset: keyset, audience: audience)
  }

  /// Verifies the file, and reads it only then.
  func load(_ path: String) throws(CommandFailure) -> LoadedManifest {
    guard let trust = try trust() else { throw Trust.missing(for: path) }
    return try trust.load(path, audience: audience).manifest
  }

  /// The releases of a folder, by audience: of the one that is named, else of each that has any.
  func releases(in folder: String) throws(CommandFailure) -> [(name: String, releases: [ReleasedManifest])] {
    func files(_ name: String?) throws(CommandFailure) -> ReleasedFiles {
      guard let trust = try trust(for: name) else { throw Trust.missing(for: folder) }
      return ReleasedFiles(trust: trust)
    }
    let found = try ReleasedFiles.audiences(in: folder) { () throws(CommandFailure) in
      guard let trust = try trust() else { throw Trust.missing(for: folder) }
      return trust
    }
    // It has none, which the error says.
    guard !found.isEmpty else { return try [("", files(nil).directory(folder))] }
    guard let audience else {
      return try found.map { name throws(CommandFailure) in (name, try files(name).all(folder, for: name)) }
    }
    let releases = try files(audience).all(folder, for: audience)
    guard !releases.isEmpty else {
      throw CommandFailure(
        .refused, "'\(VisibleText.of(folder))' has no release for the audience '\(VisibleText.of(audience))'",
        help: "It has \(found.map { "'\(VisibleText.of($0))'" }.listed()): correct --audience, or get the others.")
    }
    return [(audience, releases)]
  }
}

extension SigningCeremony {
  /// Looks who the options say may sign.
  init(
    path: String, verification: VerificationOptions, _ audience: String?, at instant: Instant
  ) throws(CommandFailure) {
    try self.init(
      path: path, trust: verification.trust(for: audience), keys: verification.keys,
      threshold: verification.threshold ?? 1,
      at: instant)
  }
}
