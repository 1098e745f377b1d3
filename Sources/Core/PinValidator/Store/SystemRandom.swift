import CLibC

/// The system's random numbers.
package enum SystemRandom {
  /// Fills memory with them, or ends the process.
  package static func fill(_ bytes: UnsafeMutableRawPointer, _ count: Int) {
    var filled = 0
    while filled < count {
      let got = pintle_random(bytes + filled, count - filled)
      // A signal may interrupt it. Without random numbers, a peer could choose names that collide in hash tables.
      guard got >= 0 || pintle_errno() == EINTR else { abort() }
      filled += max(got, 0)
    }
  }
}
