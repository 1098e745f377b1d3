#if NIOSSL
import NIOConcurrencyHelpers
package import NIOSSL
import PinValidator

/// What clients presented that were let in, for those that resume a session: of a session only the leaf is known.
///
/// Nothing here is trusted: whatever is recalled is evaluated again.
package final class PresentedChains: Sendable {
  private let capacity: Int
  private let state = NIOLockedValueBox(State())

  private struct State: Sendable {
    /// Chains by their leaf.
    var chains: [Leaf: [[UInt8]]] = [:]
    /// The certificates above leaves, of all chains, the latest last: clients of one entry have few among them.
    var authorities: [[UInt8]] = []
  }

  /// Remembers the chains of a number of clients; of the others, what may have been above their leaf.
  package init(capacity: Int = 4_096) {
    self.capacity = capacity
  }

  package func keep(_ chain: [[UInt8]]) {
    guard let leaf = chain.first.map(Leaf.init) else { return }
    state.withLockedValue { state in
      if state.chains.count >= capacity, state.chains[leaf] == nil { state.chains.remove(at: state.chains.startIndex) }
      state.chains[leaf] = chain
      for authority in chain.dropFirst() where !state.authorities.contains(authority) {
        state.authorities.append(authority)
      }
      // The leaf counts towards the limit too.
      let surplus = state.authorities.count - (PeerHandshake.maximumCertificates - 1)
      if surplus > 0 { state.authorities.removeFirst(surplus) }
    }
  }

  /// What stands for the chain that was presented with a leaf; nil where the leaf can't be read.
  package func chain(of leaf: NIOSSLCertificate) -> [[UInt8]]? {
    guard let der = try? leaf.toDERBytes() else { return nil }
    return state.withLockedValue { $0.chains[Leaf(der: der)] ?? [der] + $0.authorities }
  }

  /// A certificate that is hashed in one go: an array of bytes is hashed byte by byte.
  private struct Leaf: Hashable {
    let der: [UInt8]

    func hash(into hasher: inout Hasher) { der.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}
#endif
