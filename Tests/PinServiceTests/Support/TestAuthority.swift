#if Service
import enum Crypto.P256
import struct Crypto.SHA256
import FoundationEssentials
import NIOSSL
import PinFormat
import SwiftASN1
import X509

/// What a server presents.
struct Identity {
  let chain: [[UInt8]]
  /// The digest of the leaf's public key.
  let pin: SHA256Digest?
  let context: NIOSSLContext
}

/// A certification authority that lives as long as a test.
struct TestAuthority {
  let root: NIOSSLCertificate
  let rootBytes: [UInt8]
  let rootPEM: [UInt8]
  private let certificate: Certificate
  private let key: P256.Signing.PrivateKey

  init() throws {
    let key = P256.Signing.PrivateKey()
    self.key = key
    certificate = try Self.certificate(
      "Test root", key: key.publicKey, issuer: nil, signedBy: key,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
        SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
      })
    rootBytes = Array(try certificate.serializeAsPEM().derBytes)
    rootPEM = Array(try certificate.serializeAsPEM().pemString.utf8)
    root = try NIOSSLCertificate(bytes: rootBytes, format: .der)
  }

  /// A server's identity for names and an address, 127.0.0.1 unless given.
  func identity(
    names: [String] = ["localhost"], address: [UInt8] = [127, 0, 0, 1], newest: NIOSSL.TLSVersion = .tlsv13
  ) throws -> Identity {
    let leafKey = P256.Signing.PrivateKey()
    let leaf = try Self.certificate(
      "Test server", key: leafKey.publicKey, issuer: certificate.subject, signedBy: key,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        try ExtendedKeyUsage([.serverAuth])
        SubjectKeyIdentifier(hash: Certificate.PublicKey(leafKey.publicKey))
        AuthorityKeyIdentifier(
          keyIdentifier: SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey)).keyIdentifier)
        SubjectAlternativeNames(
          names.map { .dnsName($0) } + [.ipAddress(.init(contentBytes: ArraySlice(address)))])
      })
    let der = Array(try leaf.serializeAsPEM().derBytes)
    let chain = [der, rootBytes]
    let privateKey = try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
      privateKey: .privateKey(privateKey))
    configuration.maximumTLSVersion = newest
    return Identity(
      chain: chain, pin: SHA256Digest(Array(SHA256.hash(data: leafKey.publicKey.derRepresentation))),
      context: try NIOSSLContext(configuration: configuration))
  }

  private static func certificate(
    _ name: String, key: P256.Signing.PublicKey, issuer: DistinguishedName?, signedBy signer: P256.Signing.PrivateKey,
    extensions: Certificate.Extensions
  ) throws -> Certificate {
    let subject = try DistinguishedName { CommonName(name) }
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key),
      notValidBefore: Date(timeIntervalSince1970: 1_700_000_000),
      notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
      issuer: issuer ?? subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
      issuerPrivateKey: .init(signer))
  }
}
#endif
