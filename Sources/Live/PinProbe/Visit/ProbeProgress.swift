import Diagnostics

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

extension ProbeProgress {
  /// `probing 312 of 1000 hosts, 3 failures, 180/s, 4 s left`; where so many columns are too few, without the last of it.
  package func text(width: Int) -> String {
    var parts = ["probing \(done) of \(counted(total, "host"))", counted(failures, "failure")]
    if let rate, done < total {
      parts.append(Self.text(of: rate) + "/s")
      if let secondsLeft { parts.append(Self.duration(secondsLeft) + " left") }
    }
    while parts.count > 1, parts.joined(separator: ", ").utf8.count > width { parts.removeLast() }
    return String(parts.joined(separator: ", ").prefix(max(0, width)))
  }

  /// With one decimal place where that says more.
  private static func text(of rate: Double) -> String {
    let tenths = Int((rate * 10).rounded())
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
  }

  private static func duration(_ seconds: Int) -> String {
    seconds < 120 ? "\(seconds) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }
}
