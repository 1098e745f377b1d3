import Foundation
import OpenSSLKit
import TestSupport
import Testing

/// Who signed a certificate, as far as that is checked for keys that peers choose.
@Suite struct IssuanceTests {
  @Test(
    "An RSA key with a long exponent counts as one that signed nothing",
    arguments: [("65537", true), ("4294967291", true), ("4294967311", false)])
  func longExponents(exponent: String, counts: Bool) throws {
    let der = try runSuccessfully(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-pkeyopt", "rsa_keygen_pubexp:\(exponent)", "-nodes", "-keyout",
        "/dev/null", "-subj", "/CN=self", "-outform", "DER",
      ])
    let certificate = try Certificate(der: der)
    #expect(certificate.isSelfSigned)
    #expect(certificate.hasSigned(certificate) == counts)
  }

  /// They sign themselves; making such keys takes seconds.
  @Test(
    "An RSA key of more than 8,192 bits counts as one that signed nothing", arguments: [(8_192, true), (8_200, false)])
  func longKeys(bits: Int, counts: Bool) throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let pem = try readFile(fixtures.appending(path: "Fixtures/certificates/rsa-\(bits).pem").path())
    let certificate = try Certificate(der: try der(ofPEM: pem))
    #expect(certificate.isSelfSigned)
    #expect(certificate.hasSigned(certificate) == counts)
  }
}
