/// How far probing has come.
package struct ProbeProgress: Hashable, Sendable {
  /// How many hosts (each on one port) were asked to the end.
  package var done: Int
  package var total: Int
  /// How many of those that are done showed no certificate at all.
  package var failures: Int
  /// Since the first visit.
  package var elapsed: Duration

  package init(done: Int, total: Int, failures: Int, elapsed: Duration) {
    self.done = done
    self.total = total
    self.failures = failures
    self.elapsed = elapsed
  }

  /// Hosts a second; nil while nothing can be said.
  package var rate: Double? {
    let seconds = elapsed / .seconds(1)
    return done > 0 && seconds > 0 ? Double(done) / seconds : nil
  }

  /// Seconds that the rest will take at this rate, rounded up; nil while nothing can be said.
  package var secondsLeft: Int? {
    guard let rate, rate > 0 else { return nil }
    return Int((Double(total - done) / rate).rounded(.up))
  }
}
