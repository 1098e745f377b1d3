import CLibC
import OpenSSLKit
import PinFormat
import Synchronization

/// The chains that were allowed lately, for the activation guard: the last 64 different ones, by host, port and leaf.
///
/// Connections record here after they have their verdict. They never wait: where somebody else is at it, what they have
/// isn't recorded. A chain that is known already costs a look through 64 numbers.
///
/// `@unchecked`: `items` and `next` are touched only by the one who has set `owner`.
final class RecentChains: @unchecked Sendable {
  /// What came with a connection, and how the transport asked about it.
  struct Chain: Sendable {
    let handshake: PeerHandshake
    let transport: TransportValidation
  }

  private struct Item {
    var hash: UInt64 = 0
    var seen = Instant.earliest
    var chain: Chain?
  }

  private static let capacity = 64
  /// A peer decides how much it sends, and what is kept is not to be a multiple of what is usual.
  private static let maximumBytes = 64 << 10

  /// 0 where nobody is at it; else one more than the fork generation of who is.
  ///
  /// In a child that was forked meanwhile that one never goes away.
  private let owner = Atomic<UInt64>(0)
  private var items = [Item](repeating: Item(), count: capacity)
  private var next = 0

  /// Keeps a handshake that was allowed, in place of the one that was first recorded longest ago.
  func record(_ handshake: PeerHandshake, _ transport: TransportValidation, at instant: Instant) {
    guard let hash = Self.hash(handshake) else { return }
    let own = UInt64(ForkGeneration.now) + 1
    guard owner.compareExchange(expected: 0, desired: own, ordering: .acquiring).exchanged else { return }
    defer { owner.store(0, ordering: .releasing) }
    for number in items.indices where items[number].hash == hash {
      items[number].seen = instant
      return
    }
    items[next] = Item(hash: hash, seen: instant, chain: Chain(handshake: handshake, transport: transport))
    next = (next + 1) % Self.capacity
  }

  /// What was last seen from one instant to another, which is now: what a wrong clock dated later doesn't count.
  func since(_ instant: Instant, until now: Instant) -> [Chain] {
    let own = UInt64(ForkGeneration.now) + 1
    while true {
      let (isDone, found) = owner.compareExchange(expected: 0, desired: own, ordering: .acquiring)
      if isDone { break }
      guard found == own else { return [] }
      sched_yield()
    }
    defer { owner.store(0, ordering: .releasing) }
    return items.compactMap { $0.seen >= instant && $0.seen <= now ? $0.chain : nil }
  }

  /// Host, port, peer and the end of the leaf, which is its signature; nil for what isn't kept.
  ///
  /// Two that have the same number count as one, which leaves one of them out. Nobody gains by that: only chains that
  /// were allowed get here, and the guard isn't a defence against those who may sign manifests.
  private static func hash(_ handshake: PeerHandshake) -> UInt64? {
    guard let leaf = handshake.certificates.first else { return nil }
    guard handshake.certificates.reduce(0, { $0 + $1.count }) <= maximumBytes else { return nil }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in handshake.host.utf8 { add(byte) }
    add(UInt8(truncatingIfNeeded: handshake.port))
    add(UInt8(truncatingIfNeeded: handshake.port >> 8))
    add(handshake.peer == .server ? 0 : 1)
    for byte in leaf.suffix(32) { add(byte) }
    // Zero means that the place is empty.
    return hash == 0 ? 1 : hash
  }
}
