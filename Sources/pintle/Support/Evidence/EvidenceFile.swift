import Diagnostics
import OpenSSLKit
import PinFormat
import PinProbe

/// A file of evidence: read with all that can be checked of it, and written whole.
enum EvidenceFile {
  /// Reads evidence, and refuses it where a certificate isn't the one whose digest it is under.
  static func read(_ path: String) throws(CommandFailure) -> Evidence {
    let bytes = try Input.read(path, limit: .evidence)
    let evidence: Evidence
    do {
      evidence = try Evidence(reading: bytes)
    } catch {
      if let other = WrongFile.failure(path, bytes, needed: .evidence) { throw other }
      throw refused(path, error.description + " [\(error.code)]")
    }
    for certificate in evidence.certificates {
      let digest: SHA256Digest
      do {
        digest = SHA256Digest(try SHA256.digest(of: certificate.der))
      } catch {
        throw CommandFailure(.failed, "libcrypto failed: \(error.message)")
      }
      guard digest == certificate.fingerprint else {
        throw refused(path, "the certificate under \(certificate.fingerprint.hex) has the digest \(digest.hex)")
      }
    }
    return evidence
  }

  /// Writes evidence, whole or not at all; `-` is standard output.
  static func write(_ evidence: Evidence, to path: String) throws(CommandFailure) {
    let bytes = evidence.encoded()
    guard bytes.count <= EvidenceLimits.fileBytes else {
      throw CommandFailure(
        .failed, "the evidence has \(bytes.count) bytes; the limit is \(EvidenceLimits.fileBytes)",
        help: "Record the fleet in parts with '--shard', and evaluate the records one by one.")
    }
    try Output.write(bytes, to: path)
  }

  private static func refused(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      .failed, "'\(path)' is not valid evidence: \(reason)",
      help: "Use an unchanged file from 'pintle probe --record' or 'pintle evidence merge'.")
  }
}
