import ArgumentParser
import PinValidator

/// Whose signatures a manifest must bear, and whom it must be meant for.
struct VerificationOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp("A public key that may sign (PEM); give it again for each further one.", valueName: "file"))
  var keys: [String] = []

  @Option(help: ArgumentHelp("How many of the keys must have signed.", valueName: "count"))
  var threshold = 1

  @Option(
    help: ArgumentHelp("The environment that the manifest must be meant for, such as production.", valueName: "name"))
  var audience: String?

  /// Verifies the file, and reads it only then.
  func load(_ path: String) throws(CommandFailure) -> LoadedManifest {
    guard !keys.isEmpty else {
      throw CommandFailure(
        .usage, "no --key says whose signature on '\(path)' counts",
        help: "Give the public key of each signer: --key release.key.pub.")
    }
    let trusted = try SigningKeyFile.publicKeys(keys)
    return try VerifiedFile.load(path, trusted: trusted, threshold: threshold, audience: audience).manifest
  }
}
