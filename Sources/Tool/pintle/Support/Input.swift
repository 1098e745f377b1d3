import Diagnostics
import PinExchange
import PinPolicy
import PinProbe

/// Files that a command reads as a whole.
enum Input {
  /// The most bytes of each kind of file.
  enum Limit {
    /// A key, a request or a certificate.
    case key
    /// A bundle of certificates.
    case bundle
    /// A keyset; a little more than one may have, so that the error says what is wrong.
    case keyset
    /// A manifest.
    case manifest
    /// A manifest or a keyset in another format, which may be longer than the file itself.
    case exchanged
    /// Pins in another tool's format; the longest public list has less than half of it.
    case pins
    /// A policy file; a little more than one may have.
    case policy
    /// Evidence of live servers.
    case evidence

    var bytes: Int {
      switch self {
      case .key: InputFile.keyLimit
      case .bundle: 16 << 20
      case .keyset: InputFile.keysetLimit
      case .manifest: InputFile.manifestLimit
      case .exchanged: DSSEEnvelope.maximumBytes
      case .pins: 32 << 20
      case .policy: PolicyReader.sizeLimit + 1
      case .evidence: EvidenceLimits.fileBytes
      }
    }
  }

  /// Reads a file that isn't too long for its kind; `-` is standard input.
  static func read(_ path: String, limit: Limit) throws(CommandFailure) -> [UInt8] {
    try InputFile.read(path, limit: limit.bytes)
  }

  /// How messages name it.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : "'\(VisibleText.of(path))'" }
}
