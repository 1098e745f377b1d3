import PinFormat
import PinProbe
import TestSupport
import Testing

/// Each way in which a handshake fails is distinguished from the others.
struct FailureTests {
  /// The failure for each behaviour; those that never end on their own run into the deadline.
  private static let expected: [(HostileServer.Behaviour, ConnectionFailure, Duration)] = [
    (.mute, .timedOut, .milliseconds(200)),
    (.slowDrip, .timedOut, .milliseconds(200)),
    (.endlessWarnings, .brokenHandshake, .seconds(60)),
    (.endlessHandshake, .brokenHandshake, .seconds(60)),
    (.endlessEmptyRecords, .brokenHandshake, .seconds(60)),
    (.garbage, .notTLS, .seconds(60)),
    (.http, .notTLS, .seconds(60)),
    (.ssh, .notTLS, .seconds(60)),
    (.mailGreeting, .notTLS, .seconds(60)),
    (.closeAtOnce, .closed, .seconds(60)),
    (.closeInTheMiddle, .closed, .seconds(60)),
    (.resetInTheMiddle, .closed, .seconds(60)),
    (.oversizeRecord, .brokenHandshake, .seconds(60)),
    (.oversizeCertificates, .oversizedChain, .seconds(60)),
    (.oldServerHello, .protocolVersion, .seconds(60)),
  ]

  @Test(arguments: Self.expected)
  func isToldApart(behaviour: HostileServer.Behaviour, code: ConnectionFailure, timeout: Duration) throws {
    let server = try HostileServer(behaviour)
    let error = try Self.error(.to(server.port, timeout: timeout))
    #expect(error?.code == code, "\(behaviour): \(error?.message ?? "a chain")")
    #expect(error?.alert == nil)
  }

  @Test func everyBehaviourIsInTheTable() {
    #expect(Self.expected.map(\.0.description) == HostileServer.Behaviour.all.map(\.description))
  }

  @Test(arguments: [
    (HostileServer.Behaviour.http, "the server's answer isn't TLS, it looks like HTTP"),
    (.ssh, "the server's answer isn't TLS, it looks like SSH"),
    (
      .mailGreeting,
      "the server's answer isn't TLS, it looks like a mail or file server's greeting, which wants STARTTLS"
    ),
    (.garbage, "the server's answer isn't TLS"),
    (.closeAtOnce, "the connection was closed without an answer to the TLS handshake"),
    (.closeInTheMiddle, "the connection was closed in the middle of the handshake"),
    (.resetInTheMiddle, "the connection was reset in the middle of the handshake"),
    (.endlessHandshake, "the server sent more than 1024 KiB"),
    (.oldServerHello, "the server speaks neither TLS 1.2 nor 1.3"),
  ])
  func isSaidInAClause(behaviour: HostileServer.Behaviour, message: String) throws {
    let server = try HostileServer(behaviour)
    #expect(try Self.error(.to(server.port))?.message == message)
  }

  @Test(arguments: [UInt8(0x28), 0x2A, 0x2F, 0x47, 0x50, 0x70, 0x74])
  func anAlertComesWithItsNumber(number: UInt8) throws {
    let server = try HostileServer(.alert(number))
    let error = try Self.error(.to(server.port))
    #expect(error?.code == .alert)
    #expect(error?.alert == number)
    #expect(error?.message.hasPrefix("the server ended the handshake with TLS alert \(number), ") == true)
    #expect(error?.message.hasSuffix("unknown") == false)
  }

  @Test(arguments: Evidence.Offer.all)
  func anAlertAboutTheVersionIsAboutTheVersion(offer: Evidence.Offer) throws {
    let server = try HostileServer(.alert(70))
    let error = try Self.error(.to(server.port, offer: offer))
    #expect(error?.code == .protocolVersion)
    #expect(error?.alert == 70)
    #expect(error?.message == "the server doesn't speak TLS \(offer.tlsVersion.rawValue)")
  }

  @Test(arguments: [("-tls1_1", TLSVersion.tls12), ("-tls1_2", .tls13), ("-tls1_3", .tls12)])
  func aRealServerWithoutTheVersion(option: String, version: TLSVersion) throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf, arguments: [option, "-cipher", "DEFAULT:@SECLEVEL=0"])
    #expect(try Self.error(.to(server.port, offer: Evidence.Offer(.ecdsa, version)))?.code == .protocolVersion)
  }

  /// Whatever is damaged, it ends, and with a failure that is the server's.
  @Test func damageIsNeverMistaken() throws {
    let leaf = try TestPKI.standard().leaf
    let servers = try (0..<64).map { try HostileServer(.damaged(leaf.der, seed: $0)) }
    let source = ListedHandshakes(servers.map { .to($0.port, timeout: .seconds(60)) })
    try HandshakePool(jobs: 16).run(source)
    for (seed, error) in source.errors.enumerated() {
      let code = try #require(error?.code, "seed \(seed) gave a chain")
      let expected: [ConnectionFailure] = [
        .brokenHandshake, .closed, .notTLS, .protocolVersion, .alert, .oversizedChain,
      ]
      #expect(expected.contains(code), "seed \(seed): \(code)")
    }
    // The failures are of several kinds.
    #expect(Set(source.errors.compactMap { $0?.code }).count >= 3)
  }

  /// The connection is reset under libssl's complaint, which must not pass for a server that went away behind its proof.
  @Test(arguments: [nil, Evidence.Offer(.ecdsa, .tls12)])
  func aChainWithoutItsKeyIsNoChain(offer: Evidence.Offer?) throws {
    let server = try HostileServer(.unproven(try TestPKI.standard().leaf.der))
    let source = ListedHandshakes(Array(repeating: .to(server.port, offer: offer, timeout: .seconds(60)), count: 200))
    try HandshakePool(jobs: 8).run(source)
    for error in source.errors {
      let code = try #require(error?.code, "a chain without a proof was taken")
      #expect([.brokenHandshake, .closed].contains(code), "\(error?.message ?? "")")
    }
    #expect(source.errors.contains { $0?.code == .brokenHandshake })
  }

  @Test func aRefusedConnection() throws {
    #expect(
      try Self.error(.to(try freePort())) == TLSClientError(.refused, "the connection was refused"))
  }

  @Test func anAddressWithoutAWay() throws {
    // 240.0.0.0/4 is reserved (RFC 1112 section 4), and Linux won't send there.
    var request = HandshakeRequest.to(443)
    request.address = IPAddress("255.255.255.255")
    #expect(try Self.error(request)?.code == .unreachable)
  }

  @Test func theStageOfADeadlineIsNamed() throws {
    let mute = try HostileServer(.mute)
    let limit = Duration.milliseconds(150)
    #expect(
      try Self.error(.to(mute.port, timeout: limit))?.message == "no answer within 150 ms in the TLS handshake")
    let mail = try Self.error(.to(mute.port, timeout: limit) { $0.startTLS = .smtp })
    #expect(mail?.code == .timedOut)
    #expect(mail?.message.hasPrefix("no answer within 150 ms while waiting for ") == true, "\(mail?.message ?? "")")
  }

  @Test func aConnectionThatNobodyTakesEndsAtItsDeadline() throws {
    // The server's queue has room for a few connections, and nothing accepts them.
    let server = try MuteServer()
    let source = ListedHandshakes(Array(repeating: .to(server.port, timeout: .milliseconds(300)), count: 32))
    try HandshakePool(jobs: 32).run(source)
    let messages = Set(source.errors.map { $0?.message ?? "a chain" })
    #expect(
      messages == [
        "no answer within 300 ms while connecting", "no answer within 300 ms in the TLS handshake",
      ])
  }

  @Test func tooManyCertificatesAreNotTaken() throws {
    let pki = try TestPKI.standard()
    let chain = try pki.pki.bundle(Array(repeating: pki.intermediate, count: 40))
    let server = try TestServer(certificate: pki.leaf, chain: chain)
    let error = try Self.error(.to(server.port))
    #expect(
      error == TLSClientError(.oversizedChain, "the server sent 41 certificates; the limit is 32"))
  }

  static func error(_ request: HandshakeRequest) throws -> TLSClientError? {
    guard case .failure(let error) = try request.result() else { return nil }
    return error
  }
}
