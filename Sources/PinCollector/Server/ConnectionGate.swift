#if Collector
import NIOCore
import Synchronization

/// Counts the connections of each address, so that one client can't take all that there are.
final class ConnectionGate: Sendable {
  private let limit: Int
  private let counts = Mutex<[String: Int]>([:])

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a connection in; false where its address has too many.
  fileprivate func enter(_ address: String) -> Bool {
    counts.withLock { counts in
      guard counts[address, default: 0] < limit else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  fileprivate func leave(_ address: String) {
    counts.withLock { counts in
      guard let count = counts[address] else { return }
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}

/// The gate as one connection meets it.
final class ConnectionGateHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let gate: ConnectionGate
  /// The address that was counted; nil before and after.
  private var counted: String?

  init(_ gate: ConnectionGate) {
    self.gate = gate
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let address = ClientAddress.of(context.channel.remoteAddress, forwarded: nil)
    if gate.enter(address) {
      counted = address
    } else {
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  private func leave() {
    if let counted { gate.leave(counted) }
    counted = nil
  }
}
#endif
