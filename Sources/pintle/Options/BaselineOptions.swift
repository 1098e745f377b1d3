import ArgumentParser
import PinCompiler
import PinFormat
import PinValidator

/// `--baseline`, the manifest that clients now have.
struct BaselineOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The released manifest that clients now have.", valueName: "manifest"))
  var baseline: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key (PEM) that signed the baseline; give it again for further ones.", valueName: "file"))
  var keys: [String] = []

  func validate() throws {
    if baseline == nil, !keys.isEmpty { throw ValidationError("--key verifies the --baseline, which is not given.") }
  }

  /// Reads the baseline, verified by `--key` or, where none is given, by the keys that are at hand anyway.
  func load(orVerifiedBy others: [[UInt8]] = []) throws(CommandFailure) -> Baseline? {
    guard let baseline else { return nil }
    let trusted = keys.isEmpty ? others : try SigningKeyFile.publicKeys(keys)
    guard !trusted.isEmpty else {
      throw CommandFailure(
        .usage, "no --key says whose signature on the baseline counts",
        help: "Give the public key that signed it: --key release.key.pub.")
    }
    let file = try VerifiedFile.load(baseline, trusted: trusted, threshold: 1, audience: nil)
    do {
      return Baseline(bytes: file.bytes, manifest: file.manifest.manifest, digest: try file.manifest.signedDigest())
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }
}
