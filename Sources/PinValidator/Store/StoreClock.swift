import PinFormat
import Synchronization

/// The wall clock that never goes back: what it answers is never before the last time that was seen.
///
/// Reading it takes no lock.
final class StoreClock: Sendable {
  private let wallClock: @Sendable () -> Instant
  private let lastSeen: Atomic<Int64>

  init(_ wallClock: @escaping @Sendable () -> Instant) {
    self.wallClock = wallClock
    lastSeen = Atomic(Instant.earliest.secondsSinceEpoch)
  }

  /// What the wall clock says, whatever was seen before.
  var wall: Instant { wallClock() }

  /// The wall clock, or the last time seen where that is later.
  var now: Instant {
    let wall = wall
    let last = lastSeen.load(ordering: .relaxed)
    guard wall.secondsSinceEpoch > last else { return Instant(secondsSinceEpoch: last) }
    see(wall)
    return wall
  }

  /// From now on it isn't before this.
  func see(_ time: Instant) {
    lastSeen.max(time.secondsSinceEpoch, ordering: .relaxed)
  }

  /// Takes the wall clock at its word, whatever was seen before.
  func reset() {
    lastSeen.store(wall.secondsSinceEpoch, ordering: .relaxed)
  }
}
