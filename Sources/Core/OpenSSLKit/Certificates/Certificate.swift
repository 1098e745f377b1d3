#if !CryptoKit
import CLibCrypto

/// One X.509 certificate, parsed once and shared.
///
/// `@unchecked`: the `X509` object is never written to after `init`, which also makes libcrypto fill its cache of
/// extensions; its reference count is atomic.
package final class Certificate: @unchecked Sendable {
  /// The certificate as it was given.
  package let der: [UInt8]
  package let layout: CertificateLayout
  /// SHA-256 over ``der``.
  package let fingerprint: SHA256.Value
  let pointer: OpaquePointer

  /// The most extensions that are read: several times what any authority writes, and few enough to compare in pairs.
  private static let maximumExtensions: Int32 = 64

  /// Reads a DER certificate, all of whose bytes belong to it and whose extensions libcrypto can read.
  package convenience init(der: [UInt8]) throws(CryptoError) {
    guard let layout = CertificateLayout(der) else {
      throw CryptoError(.malformed, "the bytes are not a certificate in DER")
    }
    let fingerprint = try SHA256.digest(of: der)
    let pointer = try decoded(
      "the certificate", from: der, by: { QuickDecoding.certificate(&$0, $1) ?? d2i_X509(nil, &$0, $1) },
      free: { X509_free($0) })
    do throws(CryptoError) {
      try Self.checkExtensions(of: pointer)
    } catch {
      LibcryptoUse.during { X509_free(pointer) }
      throw error
    }
    self.init(owning: pointer, der: der, layout: layout, fingerprint: fingerprint)
  }

  /// Takes over an object that was read.
  ///
  /// Nothing may fail once there is an instance: Embedded Swift doesn't give back the memory of a half-made one, and
  /// peers send what fails.
  private init(owning pointer: OpaquePointer, der: [UInt8], layout: CertificateLayout, fingerprint: SHA256.Value) {
    self.pointer = pointer
    self.der = der
    self.layout = layout
    self.fingerprint = fingerprint
  }

  /// Also makes libcrypto fill its cache of extensions.
  private static func checkExtensions(of pointer: OpaquePointer) throws(CryptoError) {
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard X509_get_ext_count(pointer) <= Self.maximumExtensions else {
      throw CryptoError(.malformed, "the certificate has more than \(Self.maximumExtensions) extensions")
    }
    // libcrypto would ignore the extension, and later reject the path for another reason.
    guard X509_get_extension_flags(pointer) & UInt32(EXFLAG_INVALID) == 0 else {
      throw CryptoError(.malformed, "an extension of the certificate can't be read")
    }
  }

  /// Shares a certificate that libcrypto owns, by one more reference to it.
  convenience init(sharing certificate: OpaquePointer) throws(CryptoError) {
    let der = try encoded { i2d_X509(certificate, $0) }
    guard let layout = CertificateLayout(der) else {
      throw CryptoError(.malformed, "the bytes are not a certificate in DER")
    }
    let fingerprint = try SHA256.digest(of: der)
    guard X509_up_ref(certificate) == 1 else { throw CryptoError(.failed, "libcrypto could not share a certificate") }
    self.init(owning: certificate, der: der, layout: layout, fingerprint: fingerprint)
  }

  deinit {
    LibcryptoUse.during { X509_free(pointer) }
  }

  /// Reads one DER certificate or all of a PEM text.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - areAnchors: Whether they will be anchors of TLS servers.
  /// - Returns: The certificates in the order of the text, at least one.
  /// - Throws: ``CryptoError`` if there is none, if something else is among them, or if the trust settings of an anchor
  ///   reject it for TLS servers.
  package static func read(_ bytes: [UInt8], areAnchors: Bool = false) throws(CryptoError) -> [Certificate] {
    guard PEMBlock.looksLikePEM(bytes) else { return [try Certificate(der: bytes)] }
    var certificates: [Certificate] = []
    for block in try CertificateBlock.read(bytes) {
      let number = String(certificates.count + 1)
      guard block.trust != .rejected || !areAnchors else {
        throw CryptoError(.malformed, "the trust settings of certificate " + number + " reject it for TLS servers")
      }
      do { certificates.append(try Certificate(der: block.der)) } catch {
        throw CryptoError(error.code, "certificate " + number + ": " + error.message)
      }
    }
    guard !certificates.isEmpty else { throw CryptoError(.nothingFound, "no certificate in the PEM text") }
    return certificates
  }

  /// SubjectPublicKeyInfo exactly as it is in the certificate.
  package var subjectPublicKeyInfo: [UInt8] { Array(der[layout.subjectPublicKeyInfo]) }

  /// SHA-256 over the SubjectPublicKeyInfo: the pin's bytes.
  package func publicKeyDigest() throws(CryptoError) -> SHA256.Value {
    try SHA256.digest(of: der, in: layout.subjectPublicKeyInfo)
  }
}
#endif
