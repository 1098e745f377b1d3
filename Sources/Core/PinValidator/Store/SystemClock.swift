import CLibC
package import PinFormat

/// The clocks of the system, for anybody who is given no other.
package enum SystemClock {
  /// The time now, in whole seconds.
  package static var now: Instant { Instant(secondsSinceEpoch: Int64(time(nil))) }

  /// Whole seconds since the system started, its sleep included: nobody sets this clock.
  package static var uptime: Int64 {
    var time = timespec()
    #if canImport(Darwin)
    clock_gettime(CLOCK_MONOTONIC, &time)
    #else
    clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec)
  }
}
