#if Hummingbird
import NIOCore
import PinNIOSSL
import Synchronization

/// The pinned connections of this process by their channels, which is all that a request context knows.
enum ClientConnections {
  /// The connection whose requests are handled in this task; it may have closed.
  @TaskLocal static var handled: PinnedConnection?

  private static let open = Mutex<[ObjectIdentifier: PinnedConnection]>([:])

  /// Remembers a connection until it closes.
  static func note(_ connection: PinnedConnection) {
    let key = ObjectIdentifier(connection.channel)
    open.withLock { $0[key] = connection }
    connection.channel.closeFuture.whenComplete { _ in
      _ = open.withLock { $0.removeValue(forKey: key) }
    }
  }

  /// The connection of a channel, or of the channel that an HTTP/2 stream belongs to.
  static func connection(of channel: any Channel) -> PinnedConnection? {
    open.withLock { open in
      open[ObjectIdentifier(channel)] ?? channel.parent.flatMap { open[ObjectIdentifier($0)] }
    }
  }
}
#endif
