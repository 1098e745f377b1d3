#if NIOSSL
import NIOCore
import NIOEmbedded
import PinNIOSSL
import TestSupport
import Testing
import TransportSupport

/// All handshakes of an event loop share one timer, but each has its own deadline.
@Suite("The time of handshakes")
struct HandshakeTimerTests {
  private struct Handshake {
    let channel: EmbeddedChannel
    let connection: PinnedConnection
    let due: Int
  }

  @Test("ends each when its own is up, whatever others do", arguments: 0..<16 as Range<UInt64>)
  func ends(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tls = try PinnedTLS(store: try TransportFixtures.store(), handshakeTimeout: .milliseconds(50))
    let loop = EmbeddedEventLoop()
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
    var waiting: [Handshake] = []
    var ended = 0
    for millisecond in 1...300 {
      loop.advanceTime(by: .milliseconds(1))
      for handshake in waiting {
        #expect(
          handshake.connection.error?.code == (handshake.due <= millisecond ? .timedOut : nil),
          "\(handshake.due) at \(millisecond)")
      }
      ended += waiting.count { $0.due <= millisecond }
      waiting.removeAll { $0.due <= millisecond }
      // No handshake for a while, then several at once.
      for _ in 0..<max(0, Int.random(in: -6...3, using: &random)) {
        let channel = EmbeddedChannel(loop: loop)
        let connection = try tls.addHandlers(to: channel, host: "allowed.test", port: 443)
        try channel.connect(to: address).wait()
        waiting.append(Handshake(channel: channel, connection: connection, due: millisecond + 50))
      }
      if waiting.count > 3, Int.random(in: 0..<4, using: &random) == 0 {
        let closed = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
        closed.channel.pipeline.fireChannelInactive()
        #expect(closed.connection.error?.code == .handshakeFailed)
      }
    }
    #expect(ended > 20)
  }
}
#endif
