import CLibC
package import PinFormat

/// The clocks of the system, for anybody who is given no other.
package enum SystemClock {
  /// The time now, in whole seconds.
  package static var now: Instant { Instant(secondsSinceEpoch: Int64(time(nil))) }

  /// Whole seconds since the system started, its sleep included: nobody sets this clock.
  package static var uptime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec)
  }
}
