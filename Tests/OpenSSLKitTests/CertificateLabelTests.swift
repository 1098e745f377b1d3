import OpenSSLKit
import TestSupport
import Testing

/// What each label of a PEM block is in a key file, in a chain and among anchors.
@Suite struct CertificateLabelTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// How openssl writes the root, if not as a certificate alone.
    var settings: [String]?
    var label: String?
    var trust: CertificateBlock.ServerTrust?
  }

  static let rows: [Row] = [
    Row(testDescription: "CERTIFICATE", trust: .unsaid),
    Row(testDescription: "X509 CERTIFICATE", label: "X509 CERTIFICATE", trust: .unsaid),
    Row(testDescription: "trusted for nothing in particular", settings: ["-setalias", "root"], trust: .unsaid),
    Row(testDescription: "trusted for servers", settings: ["-addtrust", "serverAuth"], trust: .trusted),
    Row(testDescription: "trusted for anything", settings: ["-addtrust", "anyExtendedKeyUsage"], trust: .trusted),
    Row(testDescription: "trusted for mail", settings: ["-addtrust", "emailProtection"], trust: .rejected),
    Row(testDescription: "rejected for servers", settings: ["-addreject", "serverAuth"], trust: .rejected),
    Row(testDescription: "rejected for anything", settings: ["-addreject", "anyExtendedKeyUsage"], trust: .rejected),
    Row(testDescription: "rejected for mail", settings: ["-addreject", "emailProtection"], trust: .unsaid),
    Row(
      testDescription: "trusted and rejected", settings: ["-addtrust", "serverAuth", "-addreject", "serverAuth"],
      trust: .rejected),
    Row(testDescription: "X509 CRL", label: "X509 CRL"), Row(testDescription: "PKCS7", label: "PKCS7"),
    Row(testDescription: "DH PARAMETERS", label: "DH PARAMETERS"),
    Row(testDescription: "ATTRIBUTE CERTIFICATE", label: "ATTRIBUTE CERTIFICATE"),
  ]

  @Test(arguments: rows)
  func isReadEverywhere(_ row: Row) throws {
    let chain = try TestPKI.standard()
    var root = chain.root.pem
    if let settings = row.settings {
      root = try runSuccessfully("openssl", ["x509", "-trustout"] + settings, stdin: chain.root.pem)
    }
    if let label = row.label {
      root = Array(String(decoding: root, as: UTF8.self).replacing("CERTIFICATE-", with: label + "-").utf8)
    }
    let pem = chain.leaf.pem + root
    guard let trust = row.trust else {
      #expect(throws: CryptoError.self) { try CertificateBlock.read(pem) }
      #expect(throws: CryptoError.self) { try KeyFile(pem) }
      #expect(throws: CryptoError.self) { try Certificate.read(pem, areAnchors: true) }
      return
    }
    #expect(try CertificateBlock.read(pem).map(\.der) == [chain.leaf.der, chain.root.der])
    guard case .certificates(let certificates, let found) = try KeyFile(pem) else {
      Issue.record("no certificates")
      return
    }
    #expect(certificates.map(\.der) == [chain.leaf.der, chain.root.der] && found == [.unsaid, trust])
    #expect(try Certificate.read(pem).count == 2)
    let anchors = try? Certificate.read(pem, areAnchors: true)
    #expect(anchors?.count == (trust == .rejected ? nil : 2))
  }

  /// A block that libcrypto takes for prose.
  @Test(arguments: ["  ", "# ", "x"])
  func noBlockIsSkipped(_ before: String) throws {
    let chain = try TestPKI.standard()
    for pem in [Array(before.utf8) + chain.root.pem, chain.leaf.pem + Array(before.utf8) + chain.root.pem] {
      #expect(throws: CryptoError.self) { try CertificateBlock.read(pem) }
    }
  }
}
