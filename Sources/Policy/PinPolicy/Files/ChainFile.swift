package import Diagnostics
import OpenSSLKit

/// A file with the chain that a server sends.
package struct ChainFile {
  /// In DER, leaf first; never none.
  ///
  /// A chain that is too long is left to the validator to block.
  package let certificates: [[UInt8]]
  /// Whether it has trust settings (`TRUSTED CERTIFICATE`), which bind anchors only.
  package let hasTrustSettings: Bool

  /// Reads PEM, or one certificate in DER.
  package init(_ bytes: [UInt8], of path: String) throws(WorkFailure) {
    if !PEMBlock.looksLikePEM(bytes), (try? Certificate(der: bytes)) != nil {
      (certificates, hasTrustSettings) = ([bytes], false)
      return
    }
    do {
      let blocks = try CertificateBlock.read(bytes)
      certificates = blocks.map(\.der)
      hasTrustSettings = blocks.contains { $0.trust != .unsaid }
    } catch {
      throw WrongFile.failure(path, bytes, needed: .certificates)
        ?? WorkFailure(.failed, "can't read the chain in '\(path)': \(error.message)")
    }
    guard !certificates.isEmpty else {
      throw WrongFile.failure(path, bytes, needed: .certificates)
        ?? WorkFailure(
          .failed, "'\(path)' has no certificate",
          help: "Give the chain in PEM, as 'openssl s_client -showcerts' prints it.")
    }
  }
}
