#if NIOSSL
import NIOConcurrencyHelpers
import NIOPosix
import PinValidator

/// The connections that are open, so that those that a new manifest refuses can be dropped.
final class OpenConnections: Sendable {
  private let store: PinStore
  private let pool: NIOThreadPool
  private let state = NIOLockedValueBox(State())

  private struct State: Sendable {
    var connections: [ObjectIdentifier: PinnedConnection] = [:]
    var observer: Int?
  }

  init(store: PinStore, pool: NIOThreadPool) {
    self.store = store
    self.pool = pool
    let observer = store.addActivationObserver { [weak self] activation in
      guard case .activated = activation, let self else { return }
      // Whoever updates the store doesn't wait for all connections to be looked at.
      self.pool.submit { _ in self.dropRefused() }
    }
    state.withLockedValue { $0.observer = observer }
  }

  deinit {
    if let observer = state.withLockedValue({ $0.observer }) { store.removeActivationObserver(observer) }
  }

  /// Keeps a connection until it closes, and looks again where a manifest took effect since it was decided on.
  func add(_ connection: PinnedConnection) {
    state.withLockedValue { $0.connections[ObjectIdentifier(connection)] = connection }
    // Whoever activates a manifest sees this connection, or this connection sees the manifest.
    if connection.isOfOlderManifest { connection.dropIfRefused() }
  }

  func remove(_ connection: PinnedConnection) {
    state.withLockedValue { $0.connections[ObjectIdentifier(connection)] = nil }
  }

  var count: Int { state.withLockedValue { $0.connections.count } }

  /// Closes each connection that the manifest in force refuses.
  ///
  /// - Returns: How many were closed.
  @discardableResult
  func dropRefused() -> Int {
    let connections = state.withLockedValue { Array($0.connections.values) }
    return connections.count { $0.dropIfRefused() }
  }
}
#endif
