import OpenSSLKit
package import PinFormat

/// What a peer sent: certificates in DER, its own first.
///
/// Nothing about it has been validated.
package struct ServedChain: Hashable, Sendable {
  /// The most certificates that are read.
  package static let maximumCertificates = PeerHandshake.maximumCertificates
  /// The most bytes that are read, in total.
  package static let maximumBytes = 256 << 10

  /// The certificates as they were sent, the leaf first.
  package let certificates: [[UInt8]]
  /// SHA-256 over each of them.
  package let fingerprints: [SHA256Digest]

  /// Takes the certificates of a handshake.
  ///
  /// - Parameter certificates: DER, in the order in which they were sent.
  /// - Throws: ``TrustFailure`` of code `unusable-chain` if there are none or too many, of code
  ///   `cryptography` where libcrypto fails.
  package init(_ certificates: [[UInt8]]) throws(TrustFailure) {
    guard !certificates.isEmpty else { throw TrustFailure(.unusableChain, "no certificate was served") }
    guard certificates.count <= Self.maximumCertificates else {
      throw TrustFailure(.unusableChain, "more than \(Self.maximumCertificates) certificates were served")
    }
    guard certificates.reduce(0, { $0 + $1.count }) <= Self.maximumBytes else {
      throw TrustFailure(.unusableChain, "more than \(Self.maximumBytes) bytes of certificates were served")
    }
    self.certificates = certificates
    var fingerprints: [SHA256Digest] = []
    for der in certificates {
      do throws(CryptoError) { fingerprints.append(SHA256Digest(try SHA256.digest(of: der))) } catch {
        throw TrustFailure(.cryptography, error.message)
      }
    }
    self.fingerprints = fingerprints
  }

  /// Reads the certificates of a PEM text, the leaf first, as `openssl s_client -showcerts` writes them.
  ///
  /// - Parameter pem: The text; what is outside its blocks is skipped.
  /// - Throws: ``TrustFailure`` where the text is damaged, holds something else, or none or too many.
  package init(pem: [UInt8]) throws(TrustFailure) {
    let blocks: [CertificateBlock]
    do { blocks = try CertificateBlock.read(pem) } catch { throw TrustFailure(.malformed, error.message) }
    try self.init(blocks.map { $0.der })
  }
}
