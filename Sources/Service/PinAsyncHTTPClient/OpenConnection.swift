#if AsyncHTTPClient
import NIOCore
import PinNIOSSL
import PinValidator
import Synchronization

/// A connection that was allowed: what its server presented, and over HTTP/2 the requests that are under way on it.
final class OpenConnection: Sendable {
  let channel: any Channel
  let handshake: PeerHandshake
  private let endpoint: PinnedAsyncHTTPClient.Endpoint
  private let refusals: ConnectionRefusals
  private let state = Mutex(State())

  private struct State {
    /// Why the connection is being closed.
    var error: PinnedTLSError?
    var streams: [ObjectIdentifier: any Channel] = [:]
  }

  init(
    _ channel: any Channel, to endpoint: PinnedAsyncHTTPClient.Endpoint, presenting handshake: PeerHandshake,
    _ refusals: ConnectionRefusals
  ) {
    self.channel = channel
    self.endpoint = endpoint
    self.handshake = handshake
    self.refusals = refusals
  }

  /// Why the connection is being closed; nil as long as it isn't.
  var error: PinnedTLSError? { state.withLock { $0.error } }

  /// Keeps the stream of a request until it closes.
  ///
  /// Called on the event loop, right before the request is given to the stream: before that, an error would end the
  /// process in AsyncHTTPClient.
  func add(_ stream: any Channel) {
    let key = ObjectIdentifier(stream)
    let error = state.withLock { state in
      state.streams[key] = stream
      return state.error
    }
    stream.closeFuture.whenComplete { _ in
      self.state.withLock { $0.streams[key] = nil }
    }
    if let error { stream.eventLoop.execute { stream.pipeline.fireErrorCaught(error) } }
  }

  /// Closes the connection, and fails the requests on it; only the first error counts.
  func drop(_ error: PinnedTLSError) {
    let isFirst = state.withLock { state in
      defer { state.error = state.error ?? error }
      return state.error == nil
    }
    guard isFirst else { return }
    refusals.note(error, of: channel, to: endpoint)
    // On a later turn of the event loop, because this may be called during a write.
    channel.eventLoop.execute {
      // AsyncHTTPClient doesn't pass a connection's error to its streams, only that it ended.
      let streams = self.state.withLock { Array($0.streams.values) }
      for stream in streams { stream.pipeline.fireErrorCaught(error) }
      self.channel.pipeline.fireErrorCaught(error)
      self.channel.close(promise: nil)
    }
  }
}
#endif
