#if HTTPClient
import NIOConcurrencyHelpers
import NIOCore
import PinNIOSSL

/// Connections that wait for the next request to their host and port.
final class IdleConnections: Sendable {
  private struct Idle: Sendable {
    var connection: HTTPConnection
    var timer: Scheduled<Void>
  }

  private let limit: Int
  private let idle = NIOLockedValueBox<[Origin: [Idle]]>([:])

  init(limit: Int) {
    self.limit = limit
  }

  deinit { closeAll() }

  /// The one that was used last, of those that are still open and that no manifest has refused since.
  func take(_ origin: Origin) -> HTTPConnection? {
    while let found = idle.withLockedValue({ $0[origin]?.popLast() }) {
      found.timer.cancel()
      // Closed connections are removed as soon as that is known; a manifest may also have taken effect just now.
      let connection = found.connection
      let isUsable = connection.channel.isActive && connection.pinned.error == nil && connection.failure == nil
      if isUsable, !connection.pinned.dropIfRefused() { return connection }
      found.connection.close()
    }
    return nil
  }

  func put(_ connection: HTTPConnection, _ origin: Origin, idleTime: TimeAmount) {
    let timer = connection.channel.eventLoop.scheduleTask(in: idleTime) { [weak self] in
      self?.remove(connection, origin)
      connection.close()
    }
    let surplus = idle.withLockedValue { idle in
      idle[origin, default: []].append(Idle(connection: connection, timer: timer))
      return idle[origin].map { $0.count > limit } == true ? idle[origin]?.removeFirst() : nil
    }
    surplus?.timer.cancel()
    surplus?.connection.close()
    // It may have closed before it was added, when there was nothing to remove.
    if !connection.channel.isActive { remove(connection, origin) }
  }

  /// Removes a connection once it has closed; asked for once for each, however often it is kept.
  func watch(_ connection: HTTPConnection, _ origin: Origin) {
    connection.channel.closeFuture.whenComplete { [weak self] _ in self?.remove(connection, origin) }
  }

  private func remove(_ connection: HTTPConnection, _ origin: Origin) {
    let removed = idle.withLockedValue { idle in
      let removed = idle[origin]?.first { $0.connection === connection }
      idle[origin]?.removeAll { $0.connection === connection }
      if idle[origin]?.isEmpty == true { idle[origin] = nil }
      return removed
    }
    removed?.timer.cancel()
  }

  func closeAll() {
    let all = idle.withLockedValue { idle in
      let all = idle.values.flatMap { $0 }
      idle = [:]
      return all
    }
    for each in all {
      each.timer.cancel()
      each.connection.close()
    }
  }

  var count: Int { idle.withLockedValue { $0.values.reduce(0) { $0 + $1.count } } }
}
#endif
