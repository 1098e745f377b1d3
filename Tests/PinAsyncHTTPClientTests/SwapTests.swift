#if AsyncHTTPClient
import AsyncHTTPClient
import NIOConcurrencyHelpers
import NIOCore
import PinAsyncHTTPClient
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// The error of requests that a manifest ends, and that none is sent once it has taken effect: a refusal, never a
/// fault of the network, after which callers try again.
@Suite(.timeLimit(.minutes(1))) struct SwapTests {
  @Test(arguments: HTTPKind.allCases, [Answering.nothing, .head])
  func tellsRequestsThatAreUnderWay(_ kind: HTTPKind, _ answering: Answering) async throws {
    let store = try TransportFixtures.store()
    let requests = RequestCounter()
    try await withServer(try await kind.server(counting: requests, answering: answering)) { server in
      try await withClient(store, .init(endpoints: [])) { client in
        let ended = NIOLockedValueBox(0)
        let errors = await withTaskGroup(of: (any Error)?.self) { tasks in
          for _ in 0..<4 {
            tasks.addTask {
              defer { ended.withLockedValue { $0 += 1 } }
              return await client.failure("leaf.test", at: server)
            }
          }
          while requests.value < 4, ended.withLockedValue({ $0 }) == 0 { try? await Task.sleep(for: .milliseconds(1)) }
          #expect(throws: Never.self) { try store.update(try TransportFixtures.bytes("newer.json")) }
          return await tasks.reduce(into: []) { $0.append($1) }
        }
        for error in errors {
          #expect((error as? PinnedTLSError)?.code == .noLongerHolds, "\(String(describing: error))")
        }
      }
    }
  }

  /// The threads that check open connections are busy with something else.
  @Test(arguments: HTTPKind.allCases)
  func sendsNothingWhileThePoolIsBusy(_ kind: HTTPKind) async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let requests = RequestCounter()
      var options = PinnedAsyncHTTPClient.Options(endpoints: [])
      options.pool = held.pool
      try await withServer(try await kind.server(counting: requests)) { server in
        try await withClient(store, options) { client in
          try await client.expectHello(from: "leaf.test", at: server)
          await held.hold()
          try store.update(try TransportFixtures.bytes("newer.json"))
          let error = await client.failure("leaf.test", at: server) as? PinnedTLSError
          #expect(error?.code == .noLongerHolds)
          held.letGo()
          let next = await client.failure("leaf.test", at: server) as? PinnedTLSError
          #expect([.noLongerHolds, .blocked].contains(next?.code))
          await client.hasOnly(0)
          await server.drained()
          #expect(requests.value == 1)
        }
      }
    }
  }

  /// Whenever a request comes to a connection that is being closed.
  @Test(arguments: HTTPKind.allCases)
  func tellsEachOfManyRequests(_ kind: HTTPKind) async throws {
    for _ in 0..<10 {
      let store = try TransportFixtures.store()
      let updated = NIOLockedValueBox(false)
      let newer = try TransportFixtures.bytes("newer.json")
      try await withServer(try await kind.server(counting: RequestCounter())) { server in
        try await withClient(store, .init(endpoints: [])) { client in
          try await client.expectHello(from: "leaf.test", at: server)
          await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<16 {
              tasks.addTask {
                while true {
                  let wasUpdated = updated.withLockedValue { $0 }
                  let error = await client.failure("leaf.test", at: server)
                  if error == nil { #expect(!wasUpdated) }
                  guard let error else { continue }
                  let refusal = error as? PinnedTLSError
                  #expect([.noLongerHolds, .blocked].contains(refusal?.code), "\(error)")
                  if refusal?.code != .noLongerHolds { break }
                }
              }
            }
            try? await Task.sleep(for: .milliseconds(20))
            #expect(throws: Never.self) { try store.update(newer) }
            updated.withLockedValue { $0 = true }
          }
        }
      }
    }
  }
}

extension PinnedAsyncHTTPClient {
  /// Why a page can't be fetched; nil where it can.
  fileprivate func failure(_ host: String, at server: TransportServer) async -> (any Error)? {
    do {
      _ = try await get(host, at: server)
      return nil
    } catch {
      return error
    }
  }
}
#endif
