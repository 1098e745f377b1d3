import Diagnostics
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("Trust and its files")
struct TrustTests {
  private func bundle() throws -> [String: [UInt8]] {
    ["bundle.pem": try ExampleFiles.bytes("keys/example-root.pem") + ExampleFiles.bytes("keys/other-root.pem")]
  }

  private func trust(_ text: String) throws -> (trust: Policy.Trust?, policy: Policy) {
    let policy = try ExampleFiles.resolve("hosts:\n  - host: a.example\n    trust: \(text)\n", adding: bundle())
    return (policy.hosts.first?.trust, policy)
  }

  @Test("All of it")
  func all() throws {
    let (found, policy) = try trust(
      """
      { anchors: [bundle.pem], intermediates: [keys/example-intermediate.pem], certificate: keys/appliance.pem,
            server-name: Bücher.example, minimum-rsa-bits: 3072, minimum-ec-bits: 384, signatures: [ecdsa], minimum-tls: 1.3,
            exceptions: [{ failure: expired, certificate: keys/appliance.pem, until: 2027-01-01, reason: soon }], reason: r }
      """)
    #expect(describe(policy) == [])
    let trust = try #require(found)
    #expect(!trust.systemAnchors)
    #expect(trust.anchorFiles.map { $0.value.map(\.kind) } == [[.certificate, .certificate]])
    #expect(trust.intermediates.count == 1)
    #expect(trust.serverName?.value.text == "xn--bcher-kva.example")
    #expect(trust.minimumRSABits?.value == 3072)
    #expect(trust.minimumECBits?.value == 384)
    #expect(trust.signatures.map(\.value) == [.ecdsa])
    #expect(trust.minimumTLS?.value == .tls13)
    let appliance = try #require(trust.certificate?.value.certificate?.fingerprint)
    #expect(trust.exceptions.map(\.certificate) == [appliance])
    #expect(trust.exceptions.map(\.failure.value) == [.expired])
    #expect(policy.certificates.count == 4)
    #expect(policy.certificates.map(\.fingerprint.hex) == policy.certificates.map(\.fingerprint.hex).sorted())
  }

  @Test(
    "Which anchors count",
    arguments: [
      ("{ reason: r }", true, 0), ("{ anchors: [system] }", true, 0), ("{ anchors: [system, bundle.pem] }", true, 2),
      ("{ anchors: [keys/example-root.pem] }", false, 1),
    ])
  func anchors(text: String, system: Bool, count: Int) throws {
    let found = try #require(try trust(text).trust)
    #expect(found.systemAnchors == system)
    #expect(found.anchors.count == count)
  }

  @Test(
    "Files that don't fit",
    arguments: [
      (
        "{ anchors: [keys/api.csr] }",
        #"5:24-36 badKeyFile(path: "keys/api.csr", reason: "it holds a certificate request where a certificate belongs")"#
      ),
      (
        "{ intermediates: [keys/api-public.pem] }",
        #"5:30-49 badKeyFile(path: "keys/api-public.pem", reason: "it holds a public key where a certificate belongs")"#
      ),
      (
        "{ certificate: bundle.pem }",
        #"5:27-37 badKeyFile(path: "bundle.pem", reason: "it holds 2 certificates where one belongs")"#
      ),
      ("{ certificate: keys/private-key.pem }", #"5:27-47 privateKeyFile(path: "keys/private-key.pem")"#),
      (
        "{ exceptions: [{ failure: expired, certificate: no.pem, until: 2027-01-01, reason: r }] }",
        #"5:60-66 unreadableKeyFile(path: "no.pem", reason: "it doesn\'t exist")"#
      ),
    ])
  func unfit(text: String, problem: String) throws {
    let (found, policy) = try trust(text)
    #expect(describe(policy) == [problem])
    #expect(found?.anchors.isEmpty == true && found?.certificate == nil && found?.exceptions.isEmpty == true)
  }
}
