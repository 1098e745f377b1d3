import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// `--baseline`, the manifest that clients now have.
struct BaselineOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The released manifest that clients now have.", valueName: "manifest"), completion: .file())
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
    let file = try verified(baseline, orBy: others)
    do {
      return Baseline(bytes: file.bytes, manifest: file.manifest.manifest, digest: try file.manifest.signedDigest())
    } catch {
      throw CommandFailure(.failed, error.message)
    }
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
