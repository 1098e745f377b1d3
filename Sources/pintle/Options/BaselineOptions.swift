import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator

/// `--baseline`, the manifest that clients now have, or all that were released.
struct BaselineOptions: ParsableArguments {
  @Option(
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

  func validate() throws {
    if baseline == nil, !keys.isEmpty { throw ValidationError("--key requires --baseline.") }
  }

  /// Whose signatures count, nil where nobody says.
  func trust() throws(CommandFailure) -> Trust? {
    try Trust.load(keys: keys, threshold: nil, keyset: keyset)
  }

  /// Reads the baseline, verified by `--key` or, where none is given, by the keys that are at hand anyway.
  func load(orVerifiedBy others: [[UInt8]] = []) throws(CommandFailure) -> Baseline? {
    guard let baseline else { return nil }
    let paths = InputFile.isFolder(baseline) ? try released(in: baseline, orBy: others) : [baseline]
    let file = try verified(paths[paths.count - 1], orBy: others)
    do {
      let digest = try file.manifest.signedDigest()
      var found = Baseline(bytes: file.bytes, manifest: file.manifest.manifest, digest: digest)
      found.paths = paths
      return found
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }

  /// The files of a directory's releases in order of serial, which is never empty.
  private func released(in directory: String, orBy others: [[UInt8]]) throws(CommandFailure) -> [String] {
    guard let trust = try trust() ?? (others.isEmpty ? nil : Trust(publicKeys: others)) else {
      throw Trust.missing(for: directory)
    }
    let releases = try ReleasedFiles(trust: trust).directory(directory)
    // Whichever of the two a next release named as its predecessor, clients with the other one would be left behind.
    for (one, other) in zip(releases, releases.dropFirst()) {
      guard let serial = one.serial, serial == other.serial else { continue }
      let phrase = HistoryProblem.serialTwice(serial, releases: [one.name, other.name]).phrase
      throw CommandFailure(.unsafeRotation, phrase.message, help: phrase.help)
    }
    return releases.compactMap(\.path)
  }

  private func verified(_ path: String, orBy others: [[UInt8]]) throws(CommandFailure) -> VerifiedFile {
    if let trust = try trust() { return try trust.loadReleased(path) }
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
