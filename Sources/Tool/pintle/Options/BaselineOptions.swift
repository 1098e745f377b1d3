import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// `--against`, the manifest that clients now have, or all that were released.
struct BaselineOptions: ParsableArguments {
  @Option(
    name: .customLong("against"),
    help: ArgumentHelp(
      "The released manifest that clients now have, or the directory of all of them: the highest serial counts.",
      valueName: "baseline"), completion: .file())
  var baseline: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key (PEM) that signed the baseline. Repeatable.", valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Option(
    help: ArgumentHelp(
      "The keyset of the signers, in place of --key: a file, or a folder of all its versions.",
      valueName: "path"), completion: .file())
  var keyset: String?

  @Option(help: .newAudience)
  var newAudience: [String] = []

  func validate() throws {
    if baseline == nil, !keys.isEmpty { throw ValidationError("--key requires --against.") }
  }

  /// The options for commands in help, with placeholders for what wasn't given.
  var given: [String] {
    let trust = keyset.map { ["--keyset", $0] } ?? keys.flatMap { ["--key", $0] }
    return ["--against", baseline ?? "BASELINE"] + (trust.isEmpty ? ["--keyset", "KEYSET"] : trust)
  }

  /// Whose signatures count, nil where nobody says.
  ///
  /// The keysets of one of several audiences may be in a folder of its name.
  func trust(for audience: String? = nil) throws(CommandFailure) -> Trust? {
    try Trust.load(keys: keys, threshold: nil, keyset: keyset.map { AudienceFolder.path(in: $0, audience) })
  }

  /// Reads the baseline, verified by `--key` or, where none is given, by the keys that are at hand anyway.
  ///
  /// Of several audiences, only the releases of the named one count in a directory, which may have none; nor need any
  /// other directory have one where the caller knows the serial of a first release.
  func load(
    orVerifiedBy others: [[UInt8]] = [], for audience: String? = nil, orFirst mayBeFirst: Bool = false
  ) throws(CommandFailure) -> Baseline? {
    guard let baseline else { return nil }
    if mayBeFirst, audience == nil, InputFile.isFolder(baseline),
      try ReleasedFiles.audiences(
        in: baseline, { () throws(CommandFailure) in try folderTrust(baseline, orBy: others, for: nil) }
      ).isEmpty
    {
      return nil
    }
    var releases: [ReleasedManifest] = []
    var newest = baseline
    if InputFile.isFolder(baseline) {
      let trust = try folderTrust(baseline, orBy: others, for: audience)
      releases = try released(in: baseline, by: trust, for: audience)
      guard !releases.isEmpty else {
        if let audience { try NewAudience.require(audience, isAmong: newAudience, in: baseline) }
        return nil
      }
      guard let last = releases.line(under: trust.keyset).last?.path else {
        throw CommandFailure(
          .failed, "no release in '\(VisibleText.of(baseline))' is below the serial with which the keyset begins again",
          help: "Build without --against, and give that serial: --serial.")
      }
      newest = last
    }
    let file = try verified(newest, orBy: others, for: audience)
    let digest: SHA256Digest
    do { digest = try file.manifest.signedDigest() } catch { throw CommandFailure(.failed, error.message) }
    var found = Baseline(bytes: file.bytes, manifest: file.manifest.manifest, digest: digest)
    found.releases = releases.isEmpty ? [try ReleasedManifest(file, path: newest)] : releases
    found.nextSerial = WithdrawnSerial.next(
      max(found.nextSerial, try trust(for: audience)?.keyset?.keyset.minimumSerial ?? 1),
      without: try ReleasedFiles.withdrawn(in: baseline, for: audience))
    return found
  }

  private func folderTrust(
    _ directory: String, orBy others: [[UInt8]], for audience: String?
  ) throws(CommandFailure) -> Trust {
    guard let trust = try trust(for: audience) ?? (others.isEmpty ? nil : Trust(publicKeys: others)) else {
      throw Trust.missing(for: directory)
    }
    return trust
  }

  /// A directory's releases in order; none only for one of several audiences.
  private func released(
    in directory: String, by trust: Trust, for audience: String?
  ) throws(CommandFailure) -> [ReleasedManifest] {
    let releases = try ReleasedFiles(trust: trust).all(directory, for: audience)
    // Whichever of the two a next release named as its predecessor, clients with the other one would be left behind.
    for (one, other) in zip(releases, releases.dropFirst()) {
      guard let serial = one.serial, one.isBeside(other) else { continue }
      let phrase = HistoryProblem.serialTwice(serial, releases: [one.name, other.name]).phrase
      throw CommandFailure(.unsafeRotation, phrase.message, help: phrase.help)
    }
    return releases
  }

  private func verified(
    _ path: String, orBy others: [[UInt8]], for audience: String?
  ) throws(CommandFailure) -> VerifiedFile {
    if let trust = try trust(for: audience) { return try trust.loadReleased(path) }
    guard !others.isEmpty else { throw Trust.missing(for: path) }
    do {
      return try Trust(publicKeys: others).loadReleased(path)
    } catch {
      guard error.message.contains("[\(ManifestError.Code.tooFewSignatures)]") else { throw error }
      var failure = error
      failure.help =
        "It was verified with the key of --sign-key, because --key isn't given. If another key signed it, pass "
        + "that one's public key: --key release.key.pub."
      throw failure
    }
  }
}
