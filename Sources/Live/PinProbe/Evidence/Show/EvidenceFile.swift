package import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// A file of evidence, read with all that can be checked of it.
package enum EvidenceFile {
  /// Reads evidence, and refuses it where a certificate isn't the one whose digest it is under.
  package static func read(_ path: String) throws(WorkFailure) -> Evidence {
    try evidence(in: try InputFile.read(path, limit: EvidenceLimits.fileBytes), of: path)
  }

  /// Reads the bytes of a file, or of a piece of one.
  package static func evidence(in bytes: [UInt8], of path: String) throws(WorkFailure) -> Evidence {
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
        throw WorkFailure(.failed, "libcrypto failed: \(error.message)")
      }
      guard digest == certificate.fingerprint else {
        throw refused(path, "the certificate under \(certificate.fingerprint.hex) has the digest \(digest.hex)")
      }
    }
    return evidence
  }

  /// The bytes of a file of evidence, if it isn't too long.
  package static func bytes(of evidence: Evidence) throws(WorkFailure) -> [UInt8] {
    let bytes = evidence.encoded()
    guard bytes.count <= EvidenceLimits.fileBytes else {
      throw WorkFailure(
        .failed, "the evidence has \(bytes.count) bytes; the limit is \(EvidenceLimits.fileBytes)",
        help: "Record the fleet in parts with '--shard', and evaluate the records one by one.")
    }
    return bytes
  }

  static func refused(_ path: String, _ reason: String) -> WorkFailure {
    WorkFailure(
      .failed, "'\(path)' is not valid evidence: \(reason)",
      help: "Use an unchanged file from 'pintle probe --record' or 'pintle evidence merge'.")
  }
}
