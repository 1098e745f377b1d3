import CLibC
package import PinFormat

/// The wall clock, for anybody who is given no other.
package enum SystemClock {
  /// The time now, in whole seconds.
  package static var now: Instant { Instant(secondsSinceEpoch: Int64(time(nil))) }
}
