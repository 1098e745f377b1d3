import AsyncHTTPClient
import NIOCore
import NIOSSL
import Testing
import TransportSupport

/// Every program of Integrations/Examples does what it is there to show.
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
        let answer = try? await get("https://127.0.0.1:\(port)/", as: row)
        #expect(answer == (row.isAllowed ? "hello, client-authority\n" : nil))
      }
    } catch {
      _ = await server.stop()
      throw error
    }
    #expect(await server.stop().status == 0)
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

  private func get(_ url: String, as row: TransportCase) async throws -> String {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(TransportFixtures.path("root.pem"))
    tls.certificateChain = try TransportFixtures.chain(of: row)
    tls.privateKey = try TransportFixtures.key(of: row)
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(configuration: configuration)
    do {
      let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
      let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
      try await client.shutdown()
      return text
    } catch {
      try? await client.shutdown()
      throw error
    }
  }
}
