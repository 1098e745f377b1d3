#if GRPC && HTTPClient && AsyncHTTPClient && Hummingbird && Service
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import NIOHTTP1
import Testing
import TransportSupport

/// Every program of examples/ does what it is there to show.
@Suite struct ExamplesTests {
  @Test func sendsALineOverSwiftNIO() async throws {
    try await withServer(try await TransportServer.start()) { server in
      let arguments = Program.pins + ["127.0.0.1", "\(server.port)"]
      let outcome = try await Program.run("pinned-nio-client", arguments)
      #expect(outcome.output == "hello\n")
      #expect(outcome.status == 0)
    }
    try await refuses("pinned-nio-client")
  }

  @Test func takesAFixedSignerInPlaceOfAKeyset() async throws {
    let signer = ["--signer", TransportFixtures.path("release.pub")]
    let keyset = ["--keyset", TransportFixtures.path("1.keyset.json")]
    try await withServer(try await TransportServer.start()) { server in
      let target = ["127.0.0.1", "\(server.port)"]
      let outcome = try await Program.run("pinned-nio-client", Program.pins(by: signer) + target)
      #expect(outcome.output == "hello\n")
      for trust in [[], signer + keyset] {
        let refused = try await Program.run("pinned-nio-client", Program.pins(by: trust) + target)
        #expect(refused.output.contains("Give either --keyset or --signer"))
        #expect(refused.status != 0)
      }
      let elsewhere = try await Program.run(
        "pinned-nio-client", Program.pins(by: keyset, audience: "production") + target)
      #expect(elsewhere.output.contains("the keyset is for the audience \"test\", not for \"production\""))
      #expect(server.connections == 1)
    }
  }

  @Test func fetchesAPageWithAsyncHTTPClient() async throws {
    let known = ["--intermediates", TransportFixtures.path("policy/keys/issuing.pem")]
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let arguments = Program.pins + ["127.0.0.1", "\(server.port)"]
      let outcome = try await Program.run("pinned-async-http-client", known + arguments)
      #expect(outcome.output == "hello\n")
      #expect(outcome.status == 0)
      let blind = try await Program.run("pinned-async-http-client", arguments)
      #expect(blind.output.contains("undecidable-entry: 127.0.0.1 can't be decided on by its leaf alone"))
      #expect(blind.status == 1)
      #expect(server.connections == 1)
    }
  }

  @Test func letsKnownClientsIntoHummingbird() async throws {
    let server = try Program(
      "pinned-hummingbird-server",
      Program.pins + [
        "--chain", TransportFixtures.path("127.0.0.1/chain.pem"), "--key", TransportFixtures.path("127.0.0.1/key.pem"),
        "--clients", "clients.test", "--port", "0",
      ])
    do {
      let port = try #require(await server.text(behind: "listening on 127.0.0.1:"))
      for row in TransportFixtures.clients {
        let answer = try? await Page("https://127.0.0.1:\(port)/", as: row)
        #expect(answer?.text == (row.isAllowed ? "hello, client-authority\n" : nil))
      }
    } catch {
      _ = try? await server.stop()
      throw error
    }
    #expect(try await server.stop().status == 0)
  }

  @Test func fetchesAPageWithTheSmallHTTPClient() async throws {
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let arguments = Program.pins + ["127.0.0.1", "\(server.port)"]
      let outcome = try await Program.run("pinned-http-client", arguments)
      #expect(outcome.output == "hello\n")
      #expect(outcome.status == 0)
    }
    try await refuses("pinned-http-client")
  }

  @Test(arguments: ["allowed.test", "leaf.test"])
  func asksOverGRPC(_ presenting: String) async throws {
    let server = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: 0),
      transportSecurity: .tls(
        certificateChain: [.file(path: TransportFixtures.path("\(presenting)/chain.pem"), format: .pem)],
        privateKey: .file(path: TransportFixtures.path("\(presenting)/key.pem"), format: .pem)))
    try await withGRPCServer(transport: server, services: [HealthService()]) { server in
      let port = try #require(try await server.listeningAddress?.ipv4?.port)
      let outcome = try await Program.run(
        "pinned-grpc-client", Program.pins + ["--address", "127.0.0.1", "allowed.test", "\(port)"])
      if presenting == "allowed.test" {
        #expect(outcome.output == "serving\n")
        #expect(outcome.status == 0)
      } else {
        #expect(outcome.output.contains("refused: blocked: block: trust evaluation failed"))
        #expect(outcome.status == 1)
      }
    }
  }

  /// The whole service: it answers while its upstream is the pinned one, says how it is, and ends in good order.
  @Test(arguments: ["127.0.0.1", "leaf.test"])
  func runsAService(_ presenting: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pintle-\(UUID().uuidString)")
    for name in ["state", "reports"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let upstream = try await TransportServer.start(presenting: presenting, application: TransportServer.http())
    try await withServer(upstream) { upstream in
      let service = try Program(
        "pinned-service", [],
        environment: [
          "HTTP_PORT": "0", "UPSTREAM_HOST": "127.0.0.1", "UPSTREAM_PORT": "\(upstream.port)",
          "PINTLE_AUDIENCE": "test", "PINTLE_KEYSET_FILE": TransportFixtures.path("1.keyset.json"),
          "PINTLE_WITHOUT_MANIFEST": "block", "PINTLE_EMBEDDED_FILE": TransportFixtures.path("manifest.json"),
          "PINTLE_ANCHORS_FILES": TransportFixtures.path("root.pem"),
          "PINTLE_DIRECTORY": folder.appendingPathComponent("state").path,
          "PINTLE_REPORTS_DIRECTORY": folder.appendingPathComponent("reports").path,
          "PINTLE_REPORTS_SERVICE_NAME": "example",
        ])
      do {
        let port = try #require(await service.text(behind: "listening on 127.0.0.1:"))
        let health = try await Page("http://127.0.0.1:\(port)/health")
        #expect(health == Page(status: .ok, text: "ready\n"))
        let page = try await Page("http://127.0.0.1:\(port)/")
        if presenting == "127.0.0.1" {
          #expect(page == Page(status: .ok, text: "hello"))
        } else {
          #expect(page.status == .badGateway)
          #expect(upstream.bytesReceived == 0)
        }
      } catch {
        _ = try? await service.stop()
        throw error
      }
      let outcome = try await service.stop()
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("upstream refused") == (presenting == "leaf.test"))
    }
  }

  /// A server whose chain is for another name is refused, the program says so, and nothing reaches the server.
  private func refuses(_ program: String) async throws {
    try await withServer(try await TransportServer.start(presenting: "leaf.test")) { server in
      let outcome = try await Program.run(program, Program.pins + ["127.0.0.1", "\(server.port)"])
      #expect(outcome.output.contains("blocked: block: trust evaluation failed"))
      #expect(outcome.status == 1)
      #expect(server.bytesReceived == 0)
    }
  }
}
#endif
