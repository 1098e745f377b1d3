import CLibCrypto
import Foundation
import OpenSSLKit
import Testing

@Suite("libcrypto's queue of errors")
struct ErrorQueueTests {
  /// A certificate on P-224 for api.example.com and www.example.com.
  private let certificate = """
    MIIB8jCCAZegAwIBAgIUXoz6EPiwDATd3WtzY91gjC5JnSgwCgYIKoZIzj0EAwIwPDEWMBQGA1UECgwNRXhhbXBsZSBUcnVz\
    dDEiMCAGA1UEAwwZRXhhbXBsZSBJbnRlcm1lZGlhdGUgQ0EgMTAeFw0yNjEwMDEwMDAwMDBaFw0yNzA0MDEwMDAwMDBaMBox\
    GDAWBgNVBAMMD2FwaS5leGFtcGxlLmNvbTBOMBAGByqGSM49AgEGBSuBBAAhAzoABC4Aqv81uew8mdO0g4/gaOwVbCD/Qxdb\
    wmTqWZuowF6j+OpWPqaEQBpQV9vVa+kihq6A4X1phrdfo4GjMIGgMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMG\
    A1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTul5R8kRZcYWp6kovVESIQ14U27DAfBgNVHSMEGDAWgBRFYr0xNBy5EwXE\
    J3hz+LQTmtE1ojArBgNVHREEJDAigg9hcGkuZXhhbXBsZS5jb22CD3d3dy5leGFtcGxlLmNvbTAKBggqhkjOPQQDAgNJADBG\
    AiEAsxY0adLsIuqRqVKjO7iVpQ7t77tQ2LSot4Vn1nhlHAgCIQCBwv7pIPEjo/C6Rg1csriJim7n0wdbPv1FDEzsHTC0xQ==
    """

  @Test(
    "Reading a damaged certificate leaves no error that a transport would mistake for its own",
    arguments: [
      // Nothing, a point that isn't on the curve, a BMPString of odd length, and a name with an undefined tag.
      (offset: 0, byte: 0x30), (offset: 195, byte: 0xAB), (offset: 152, byte: 0x1E), (offset: 398, byte: 0x2B),
    ] as [(offset: Int, byte: UInt8)])
  func leavesNoError(offset: Int, byte: UInt8) throws {
    var der = Array(try #require(Data(base64Encoded: certificate)))
    der[offset] = byte
    ERR_clear_error()
    if let certificate = try? Certificate(der: der) {
      #expect(certificate.issuer == "CN=Example Intermediate CA 1,O=Example Trust")
      #expect(certificate.commonName == nil || certificate.subject == "CN=api.example.com")
      #expect(certificate.alternativeNames.texts == ["api.example.com", "www.example.com"])
      #expect((certificate.keyAlgorithm == nil) == (certificate.hasSoundExponent == false))
      #expect(certificate.signature.isStrong && certificate.extendedKeyUsage == ["serverAuth"])
      #expect(certificate.notBefore != nil && certificate.notAfter != nil)
    }
    #expect(ERR_peek_error() == 0)
  }
}
