package import Diagnostics
import Glibc
import OpenSSLKit
package import PinFormat

/// The roots of the trust store of this machine, by their pins.
package struct LocalAnchors: Sendable {
  package struct Anchor: Sendable {
    /// SHA-256 over the certificate's DER.
    package let fingerprint: SHA256Digest
    package let der: [UInt8]
    /// The certificate in PEM.
    package let file: [UInt8]
  }

  /// The file that they were read from.
  package let path: String
  /// How many of its certificates libcrypto doesn't read.
  package private(set) var unread = 0
  private var anchors: [Pin: Anchor] = [:]

  package subscript(pin: Pin) -> Anchor? { anchors[pin] }

  /// The root with this fingerprint.
  package subscript(fingerprint: SHA256Digest) -> Anchor? { anchors.values.first { $0.fingerprint == fingerprint } }

  /// Reads the file that `SSL_CERT_FILE` names, as OpenSSL does, or that of Debian's ca-certificates.
  package static func read() throws(WorkFailure) -> LocalAnchors {
    let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
    let path = named.isEmpty ? "/etc/ssl/certs/ca-certificates.crt" : named
    guard InputFile.isRegular(path) else {
      throw WorkFailure(
        .failed, "the trust store '\(VisibleText.of(path))' doesn't exist or isn't a file",
        help: "Install ca-certificates, or set SSL_CERT_FILE to a file of root certificates (PEM).")
    }
    return try LocalAnchors(path, InputFile.read(path, limit: 16 << 20))
  }

  /// Certificates in PEM; clients can't use a certificate that libcrypto doesn't read as an anchor either.
  init(_ path: String, _ text: [UInt8]) throws(WorkFailure) {
    self.path = path
    do throws(CryptoError) {
      for block in try CertificateBlock.read(text) where block.trust != .rejected {
        guard let certificate = try? Certificate(der: block.der) else {
          unread += 1
          continue
        }
        let pin = Pin(SHA256Digest(try SHA256.digest(of: certificate.subjectPublicKeyInfo)))
        anchors[pin] = Anchor(
          fingerprint: SHA256Digest(certificate.fingerprint), der: certificate.der,
          file: try PEMBlock.write(label: "CERTIFICATE", bytes: block.der))
      }
    } catch {
      let reason = FileKind(text)?.unread(VisibleText.of(path)) ?? error.message
      throw WorkFailure(.failed, "the trust store '\(VisibleText.of(path))' can't be read: \(reason)")
    }
  }
}
