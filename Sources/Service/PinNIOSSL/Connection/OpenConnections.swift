#if NIOSSL
import NIOConcurrencyHelpers
import NIOCore
import PinValidator

/// The connections that are open, so that those that a new manifest refuses can be dropped.
final class OpenConnections: Sendable {
  private let store: PinStore
  private let state = NIOLockedValueBox(State())

  /// How many are checked in one turn of an event loop: a tenth of a millisecond.
  private static let perTurn = 32

  private struct State: Sendable {
    var connections: [ObjectIdentifier: PinnedConnection] = [:]
    var observer: Int?
  }

  init(store: PinStore) {
    self.store = store
    let observer = store.addActivationObserver { [weak self] activation in
      guard case .activated = activation, let self else { return }
      // On the event loops, so that the update doesn't wait for all connections. Unlike a thread pool, event loops
      // aren't busy for long with evaluations or the application.
      let byLoop = Dictionary(grouping: self.all) { ObjectIdentifier($0.channel.eventLoop) }
      for connections in byLoop.values { Self.drop(connections[...]) }
    }
    state.withLockedValue { $0.observer = observer }
  }

  deinit {
    if let observer = state.withLockedValue({ $0.observer }) { store.removeActivationObserver(observer) }
  }

  /// Keeps a connection until it closes.
  ///
  /// Ask for its manifest only after that: then an activation finds the connection here, or the connection finds the
  /// manifest.
  func add(_ connection: PinnedConnection) {
    state.withLockedValue { $0.connections[ObjectIdentifier(connection)] = connection }
  }

  func remove(_ connection: PinnedConnection) {
    state.withLockedValue { $0.connections[ObjectIdentifier(connection)] = nil }
  }

  var count: Int { state.withLockedValue { $0.connections.count } }

  private var all: [PinnedConnection] { state.withLockedValue { Array($0.connections.values) } }

  /// Closes those of one event loop's connections that the manifest in force refuses, a few in each turn.
  ///
  /// What is sent and received in between waits for a few, not for all. Nothing refused passes meanwhile: each connection
  /// asks the manifest in force itself before anything passes.
  private static func drop(_ connections: ArraySlice<PinnedConnection>) {
    guard let loop = connections.first?.channel.eventLoop else { return }
    loop.execute {
      for connection in connections.prefix(perTurn) { connection.dropIfRefused() }
      let others = connections.dropFirst(perTurn)
      // A task without a delay would run before pending reads.
      if !others.isEmpty { loop.scheduleTask(in: .milliseconds(1)) { drop(others) } }
    }
  }

  /// Closes each connection that the manifest in force refuses.
  ///
  /// - Returns: How many were closed.
  @discardableResult
  func dropRefused() -> Int { all.count { $0.dropIfRefused() } }
}
#endif
