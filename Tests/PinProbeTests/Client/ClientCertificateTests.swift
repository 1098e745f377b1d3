import PinFormat
import PinProbe
import TestSupport
import Testing

/// Servers that ask who is calling.
struct ClientCertificateTests {
  private struct Scene {
    let standard: TestPKI.Standard
    let client: TestCertificate
    let server: TestServer

    init(_ key: CertificateProfile.Key, _ arguments: [String]) throws {
      standard = try TestPKI.standard()
      client = try standard.pki.issue(
        .leaf("client").with {
          $0.key = key
          $0.extendedKeyUsage = "clientAuth"
        }, by: standard.root)
      server = try TestServer(
        certificate: standard.leaf,
        arguments: ["-CAfile", standard.root.path, "-verify_return_error"] + arguments)
    }

    var credentials: ClientCredentials {
      ClientCredentials(certificatePath: client.path, keyPath: client.keyPath)
    }

    func exchange(
      _ version: TLSVersion, credentials: ClientCredentials?, asksDate: Bool = false
    ) throws -> Exchange {
      try HandshakeRequest.to(server.port, offer: Evidence.Offer(.ecdsa, version), timeout: .seconds(5)) {
        $0.asksDate = asksDate
      }.result(credentials: credentials).get()
    }
  }

  @Test(arguments: TLSVersion.allCases)
  func askedForAndNotThere(version: TLSVersion) throws {
    let scene = try Scene(.p256, ["-verify", "1"])
    let exchange = try scene.exchange(version, credentials: nil)
    #expect(exchange.clientCertificate == .asked)
    #expect(exchange.failure == nil)
    #expect(exchange.servedChain == [scene.standard.leaf.der])
  }

  /// The server is asked for an ECDSA key each time: what the client signs with is its own matter.
  @Test(arguments: TLSVersion.allCases, ["P-256", "RSA", "Ed25519"])
  func sent(version: TLSVersion, kind: String) throws {
    let keys: [String: CertificateProfile.Key] = ["P-256": .p256, "RSA": .rsa(bits: 2048), "Ed25519": .ed25519]
    let scene = try Scene(try #require(keys[kind]), ["-Verify", "1"])
    let exchange = try scene.exchange(version, credentials: scene.credentials)
    #expect(exchange.clientCertificate == .sent)
    #expect(exchange.failure == nil)
    #expect(exchange.servedChain == [scene.standard.leaf.der])
  }

  @Test func neitherAskedForNorSent() throws {
    let scene = try Scene(.p256, [])
    #expect(try scene.exchange(.tls13, credentials: scene.credentials).clientCertificate == .notAsked)
  }

  @Test func requiredAndNotThereInTLS12() throws {
    let scene = try Scene(.p256, ["-Verify", "1"])
    let exchange = try scene.exchange(.tls12, credentials: nil)
    #expect(exchange.clientCertificate == .asked)
    #expect(exchange.servedChain == [scene.standard.leaf.der])
    #expect(exchange.failure?.kind == .alert)
    #expect(exchange.failure?.alert == 40)
    #expect(
      exchange.failure?.message
        == "the server ended the handshake with TLS alert 40, handshake failure, after asking for a client certificate")
  }

  @Test func requiredAndNotThereInTLS13() throws {
    let scene = try Scene(.p256, ["-Verify", "1"])
    // The server says so only after the handshake, so the client has to keep reading.
    #expect(try scene.exchange(.tls13, credentials: nil).failure == nil)
    let exchange = try scene.exchange(.tls13, credentials: nil, asksDate: true)
    #expect(exchange.clientCertificate == .asked)
    #expect(exchange.servedChain == [scene.standard.leaf.der])
    #expect(exchange.failure?.kind == .alert)
    #expect(exchange.failure?.alert == 116)
  }

  @Test func credentialsThatCannotBeUsed() throws {
    let standard = try TestPKI.standard()
    let leaf = standard.leaf
    let files = standard.pki.directory
    let locked = files.path("locked.key")
    try runSuccessfully("openssl", ["pkey", "-in", leaf.keyPath, "-aes256", "-passout", "pass:x", "-out", locked])
    let text = try files.write("not PEM\n", to: "no.pem")
    let cases: [(certificate: String, key: String, message: String)] = [
      ("/nowhere/c.pem", leaf.keyPath, "can't read '/nowhere/c.pem': No such file or directory"),
      (leaf.path, "/nowhere/c.key", "can't read '/nowhere/c.key': No such file or directory"),
      (text, leaf.keyPath, "'\(text)' holds no client certificate in PEM"),
      (leaf.path, text, "'\(text)' holds no private key in PEM"),
      (
        leaf.path, standard.root.keyPath,
        "the key in '\(standard.root.keyPath)' doesn't belong to the first certificate in '\(leaf.path)'"
      ),
      (
        leaf.path, locked,
        "the key in '\(locked)' is encrypted with a passphrase; give a file without one"
      ),
    ]
    for (certificate, key, message) in cases {
      let credentials = ClientCredentials(certificatePath: certificate, keyPath: key)
      #expect(throws: TLSClientError(.local, message)) { try HandshakePool(jobs: 1, credentials: credentials) }
    }
  }
}
