#if Hummingbird
import AsyncHTTPClient
import Hummingbird
import NIOHTTP1
import PinHummingbird
import PinValidator
import Synchronization
import Testing
import TransportSupport

/// A Hummingbird server whose clients present certificates.
@Suite struct ClientCertificateTests {
  @Test(arguments: TransportFixtures.clients)
  func judgesClients(_ row: TransportCase) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let handled = Atomic(0)
    try await withApplication(store, counting: { handled.add(1, ordering: .relaxed) }) { port in
      let answer: Answer?
      do { answer = try await get(port, as: row) } catch {
        answer = nil
        #expect(!row.isAllowed, "\(error)")
      }
      #expect((answer != nil) == row.isAllowed)
      #expect(handled.load(ordering: .relaxed) == (row.isAllowed ? 1 : 0))
      if let answer {
        #expect(answer.status == .ok)
        #expect(answer.text == "client-authority matched at 1, 2 certificates, 2 pins")
      }
      #expect(log.all.count == 1)
      #expect(log.all.allSatisfy { $0.handshake.peer == .client && $0.handshake.host == "clients.test" })
      let decision = try #require(log.all.first?.decision)
      #expect(row.difference(from: decision) == nil)
    }
  }

  @Test func letsNobodyInWithoutACertificate() async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let handled = Atomic(0)
    try await withApplication(store, counting: { handled.add(1, ordering: .relaxed) }) { port in
      await #expect(throws: (any Error).self) { try await get(port, as: nil) }
      #expect(handled.load(ordering: .relaxed) == 0)
      #expect(log.all.isEmpty)
    }
  }

  /// A server whose TLS was set up otherwise knows nobody, and what is behind the middleware stays closed.
  @Test func answersForbiddenWithoutPinnedTLS() async throws {
    try await withApplication(server: .http1(), counting: {}) { port in
      let answer = try await get("http://127.0.0.1:\(port)/", with: HTTPClient.Configuration())
      #expect(answer.status == .forbidden)
    }
  }
}
#endif
