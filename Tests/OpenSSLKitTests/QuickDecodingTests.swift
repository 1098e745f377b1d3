import CLibCrypto
import TestSupport
import Testing

@testable import OpenSSLKit

/// Certificates are read with fewer decoders to choose from; what is read is the same.
@Suite struct QuickDecodingTests {
  /// Where OpenSSL remembers decoders by itself, there is nothing to do.
  private static let isInUse = OpenSSL_version_num() < 0x3020_0000
  private static let pki = Result { try TestPKI() }

  private static func certificate(_ key: CertificateProfile.Key) throws -> [UInt8] {
    try pki.get().issue(.leaf().with { $0.key = key }).der
  }

  /// Those of all keys that are accepted are read so; others as usual.
  @Test(
    arguments: [
      (.p256, true), (.p384, true), (.p224, true), (.p256Point("compressed"), true), (.rsa(bits: 2_048), true),
      (.ed25519, true), (.rsaPSS(bits: 2_048), false),
    ] as [(CertificateProfile.Key, Bool)])
  func `each kind of key`(_ key: CertificateProfile.Key, _ isQuick: Bool) throws {
    let der = try Self.certificate(key)
    let quick = Self.read(der) { QuickDecoding.certificate(&$0, $1) }
    #expect((quick != nil) == (isQuick && Self.isInUse))
    let usual = try #require(Self.read(der) { d2i_X509(nil, &$0, $1) })
    if let quick { #expect(quick == usual) }
    // Whichever way it was read, it verifies its own signature.
    let certificate = try Certificate(der: der)
    #expect(certificate.hasSigned(certificate))
    #expect(certificate.keyAlgorithm != nil)
  }

  /// What is damaged is never read where it wouldn't be as usual, and never otherwise than as usual.
  @Test(arguments: [CertificateProfile.Key.p256, .rsa(bits: 2_048), .ed25519])
  func `one byte changed`(_ key: CertificateProfile.Key) throws {
    let whole = try Self.certificate(key)
    var read = 0
    for place in whole.indices {
      var der = whole
      der[place] ^= place % 2 == 0 ? 0x01 : 0x80
      guard let quick = Self.read(der, by: { QuickDecoding.certificate(&$0, $1) }) else { continue }
      read += 1
      #expect(Self.read(der) { d2i_X509(nil, &$0, $1) } == quick, "byte \(place)")
    }
    #expect((read > whole.count / 4) == Self.isInUse)
    for count in [0, 1, whole.count - 1] {
      #expect(Self.read(Array(whole.prefix(count))) { QuickDecoding.certificate(&$0, $1) } == nil)
    }
    #expect(ERR_peek_error() == 0)
  }

  /// With bytes behind it, as much is read as by libcrypto.
  @Test func `what follows is left`() throws {
    let der = try Self.certificate(.p256)
    let quick = Self.read(der + [0]) { QuickDecoding.certificate(&$0, $1) }
    #expect(quick?.readBytes == (Self.isInUse ? der.count : nil))
    #expect(throws: CryptoError.self) { try Certificate(der: der + [0]) }
  }

  /// What libcrypto says about a certificate that was read.
  private struct Facts: Equatable {
    let readBytes: Int
    let der: [UInt8]
    let key: [UInt8]
    let bits: Int32
    let flags: UInt32
    let isSignedByItself: Bool
  }

  private static func read(
    _ der: [UInt8], by read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) -> Facts? {
    keepingErrorQueue {
      der.withUnsafeBufferPointer { bytes -> Facts? in
        var next = bytes.baseAddress
        guard let certificate = read(&next, bytes.count) else { return nil }
        defer { X509_free(certificate) }
        // Also fills libcrypto's cache of extensions.
        let flags = X509_get_extension_flags(certificate)
        let key = X509_get0_pubkey(certificate)
        return Facts(
          readBytes: bytes.baseAddress.flatMap { start in next.map { $0 - start } } ?? 0,
          der: (try? encoded { i2d_X509(certificate, $0) }) ?? [], key: (try? encoded { i2d_PUBKEY(key, $0) }) ?? [],
          bits: EVP_PKEY_get_bits(key), flags: flags,
          isSignedByItself: key.map { X509_verify(certificate, $0) == 1 } ?? false)
      }
    }
  }
}
