import PinCompiler
import PinFormat
import PinValidator

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
      guard (try? SignedManifest.keyIDs(of: bytes))?.isEmpty != true else {
        throw CommandFailure(
          .refused, "'\(path)' is refused: nobody has signed it yet, it is a draft [\(error.code)]",
          help: "'pintle sign' adds signatures to a draft.")
      }
      throw CommandFailure(.refused, "'\(path)' is refused: \(error.message) [\(error.code)]")
    }
  }
}
