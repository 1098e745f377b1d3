import ArgumentParser
import PinCompiler
import PinFormat
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
    var trusted: [[UInt8]] = []
    for key in keys { trusted.append(try SigningKeyFile.publicKey(key)) }
    return try VerifiedFile.load(path, trusted: trusted, threshold: threshold, audience: audience).manifest
  }
}

/// A manifest file, verified.
struct VerifiedFile {
  var bytes: [UInt8]
  var manifest: LoadedManifest

  /// Verifies a file against public keys, and reads it only then; exit status 6 where it is refused.
  static func load(
    _ path: String, trusted: [[UInt8]], threshold: Int, audience: String?
  ) throws(CommandFailure) -> VerifiedFile {
    let bytes = try Input.read(path, limit: .manifest)
    let signers: TrustedSigners
    do {
      signers = try TrustedSigners(publicKeys: trusted, threshold: threshold)
    } catch {
      throw CommandFailure(.usage, error.message, help: "--threshold is from 1 to the number of different --key files.")
    }
    do {
      return VerifiedFile(
        bytes: bytes, manifest: try LoadedManifest.load(bytes, signers: signers, requiredAudience: audience))
    } catch {
      throw CommandFailure(.refused, "'\(path)' is refused: \(error.message) [\(error.code)]")
    }
  }
}

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
    var trusted: [[UInt8]] = []
    for key in keys { trusted.append(try SigningKeyFile.publicKey(key)) }
    if trusted.isEmpty { trusted = others }
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
