#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import PinNIOSSL
import Synchronization

/// Why connections were closed, for requests that AsyncHTTPClient gave to one of them before it knew.
///
/// It tells these only that the connection has ended, as if the network had failed, and the caller might try again.
final class ConnectionRefusals: Sendable {
  private let byEndpoint = Mutex<[PinnedAsyncHTTPClient.Endpoint: Refusal]>([:])

  private struct Refusal {
    /// The latest.
    var error: PinnedTLSError
    /// The connections that were refused and haven't closed yet.
    var closing: Int
    /// When the last of them closed.
    var closed: NIODeadline
  }

  /// Notes that a connection to an endpoint is about to be closed.
  func note(_ error: PinnedTLSError, of channel: any Channel, to endpoint: PinnedAsyncHTTPClient.Endpoint) {
    byEndpoint.withLock {
      $0[endpoint] = Refusal(error: error, closing: ($0[endpoint]?.closing ?? 0) + 1, closed: .now())
    }
    channel.closeFuture.whenComplete { _ in
      // One turn later AsyncHTTPClient knows that the connection failed, and sends no more requests to it.
      channel.eventLoop.execute {
        self.byEndpoint.withLock {
          $0[endpoint]?.closing -= 1
          $0[endpoint]?.closed = .now()
        }
      }
    }
  }

  /// What a request's failure comes from: the refusal of a connection that was being closed meanwhile, if it is the end of
  /// a connection; or else what it is.
  func reason(
    for failure: any Error, of endpoint: PinnedAsyncHTTPClient.Endpoint, since start: NIODeadline
  ) -> any Error {
    guard !Task.isCancelled, Self.isEndOfConnection(failure) else { return failure }
    guard let refusal = byEndpoint.withLock({ $0[endpoint] }) else { return failure }
    return refusal.closing > 0 || refusal.closed >= start ? refusal.error : failure
  }

  /// Whether an error may say no more than that a connection has ended: NIO has many that do.
  private static func isEndOfConnection(_ error: any Error) -> Bool {
    switch error {
    case is PinnedTLSError, is PinnedAsyncHTTPClientError, is CancellationError: false
    case let error as HTTPClientError:
      [.remoteConnectionClosed, .cancelled, .requestStreamCancelled].contains(error)
    default: true
    }
  }
}
#endif
