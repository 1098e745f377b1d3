#if Collector
import Synchronization

/// The connections that are open, so that neither one client nor slow ones take all that there is.
///
/// Where a limit of all of them is reached, room is made: of the client with the most connections, the one that has kept
/// the collector waiting for longest is cut off. An honest client has few, and sends its request in one go.
final class ConnectionTable: Sendable {
  /// One of the connections.
  struct Connection {
    /// The client that it counts for; nil while a proxy's connection has no request.
    var client: String?
    /// How many bytes of a body are in memory.
    var bytes = 0
    /// Since when the client is waited for, as a number that grows; nil while the client waits.
    var turn: UInt64?
    /// Cuts it off, soon.
    let cut: @Sendable () -> Void
  }

  private struct State {
    var connections: [UInt64: Connection] = [:]
    var counts: [String: Int] = [:]
    var bytes = 0
    var numbers: UInt64 = 0

    mutating func number() -> UInt64 {
      numbers += 1
      return numbers
    }

    mutating func count(_ client: String, limit: Int) -> Bool {
      guard counts[client, default: 0] < limit else { return false }
      counts[client, default: 0] += 1
      return true
    }

    mutating func uncount(_ client: String?) {
      guard let client, let count = counts[client] else { return }
      counts[client] = count > 1 ? count - 1 : nil
    }

    mutating func remove(_ id: UInt64) -> Connection? {
      guard let connection = connections.removeValue(forKey: id) else { return nil }
      uncount(connection.client)
      bytes -= connection.bytes
      return connection
    }

    /// Removes the one that is to make room, of those that have at least so many bytes in memory.
    mutating func makeRoom(bytes: Int = 0) -> Connection? {
      var worst: (id: UInt64, count: Int, turn: UInt64)?
      for (id, connection) in connections where connection.bytes >= bytes {
        guard let turn = connection.turn else { continue }
        let count = connection.client.flatMap { counts[$0] } ?? 1
        if let worst, (worst.count, turn) >= (count, worst.turn) { continue }
        worst = (id, count, turn)
      }
      return worst.flatMap { remove($0.id) }
    }
  }

  private let most: Int
  private let mostOfOne: Int
  private let mostBytes: Int
  private let state = Mutex(State())

  init(_ settings: CollectorSettings) {
    most = settings.maximumConnections
    mostOfOne = settings.maximumConnectionsPerAddress
    mostBytes = settings.maximumBytesInFlight
  }

  /// Counts a connection in, whose client is waited for.
  ///
  /// - Parameters:
  ///   - client: Whom it counts for; nil if each of its requests says so.
  ///   - cut: Cuts it off, soon.
  /// - Returns: Its number; nil if there is no room.
  func enter(_ client: String?, cut: @escaping @Sendable () -> Void) -> UInt64? {
    let (id, victim) = state.withLock { state -> (UInt64?, Connection?) in
      if let client, !state.count(client, limit: mostOfOne) { return (nil, nil) }
      let victim = state.connections.count < most ? nil : state.makeRoom()
      guard state.connections.count < most else {
        state.uncount(client)
        return (nil, nil)
      }
      let id = state.number()
      state.connections[id] = Connection(client: client, turn: state.number(), cut: cut)
      return (id, victim)
    }
    victim?.cut()
    return id
  }

  /// Counts a request on a proxy's connection for its client; false if the client has too many.
  func count(_ id: UInt64, for client: String) -> Bool {
    state.withLock { state in
      // Requests come one after the other, so the previous one is over.
      state.uncount(state.connections[id]?.client)
      state.connections[id]?.client = nil
      guard state.connections[id] != nil, state.count(client, limit: mostOfOne) else { return false }
      state.connections[id]?.client = client
      return true
    }
  }

  /// From now on the client is waited for: for a request, or for the rest of one.
  func waitForClient(_ id: UInt64) {
    state.withLock { state in
      let number = state.number()
      state.connections[id]?.turn = number
    }
  }

  /// The request has arrived: now the client waits.
  func hasArrived(_ id: UInt64) {
    state.withLock { state in state.connections[id]?.turn = nil }
  }

  /// Bytes of a body are in memory.
  func add(_ bytes: Int, to id: UInt64) {
    let victim = state.withLock { state -> Connection? in
      guard state.connections[id] != nil else { return nil }
      state.connections[id]?.bytes += bytes
      state.bytes += bytes
      return state.bytes > mostBytes ? state.makeRoom(bytes: 1) : nil
    }
    victim?.cut()
  }

  /// All of its requests were answered: their bodies are gone.
  func wasAnswered(_ id: UInt64, isProxy: Bool) {
    state.withLock { state in
      guard let connection = state.connections[id] else { return }
      state.bytes -= connection.bytes
      state.connections[id]?.bytes = 0
      if isProxy {
        state.uncount(connection.client)
        state.connections[id]?.client = nil
      }
    }
  }

  /// The connection is closed.
  func leave(_ id: UInt64) { _ = state.withLock { $0.remove(id) } }

  /// How many connections, clients and bytes are counted.
  var counts: (connections: Int, clients: Int, bytes: Int) {
    state.withLock { ($0.connections.count, $0.counts.count, $0.bytes) }
  }
}
#endif
