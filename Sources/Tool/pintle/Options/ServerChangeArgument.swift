import ArgumentParser
import PinFormat
import PinProbe
import PinRules
import PinStudies

/// `HOST[:PORT]=KEY[+KEY…]@DATE` on the command line: what a host presents from a date on, or from `now` on.
struct ServerChangeArgument: ExplainedArgument {
  static let howTo = """
    Write a host, its key (or its keys from the leaf up), and the date: \
    api.example.com=web-2027@2027-02-01, api.example.com=web-2027@now, [2001:db8::1]:8443=web-2027+issuing-4@2027-02-01T06:00:00Z.
    """

  private let host: HostName
  private let port: UInt16?
  private let keys: [String]
  /// Nil for now.
  private let instant: Instant?

  init?(argument: String) {
    let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, let host = HostArgument(argument: String(sides[0]))?.wish else { return nil }
    let parts = sides[1].split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    instant = Instant(written: String(parts[1]))
    guard instant != nil || parts[1] == "now" else { return nil }
    keys = parts[0].split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    guard !keys.contains("") else { return nil }
    self.host = host.host
    port = host.port
  }

  /// The change, where `now` is the time at which the policy is judged.
  func change(at now: Instant) -> RotationQuestion.ServerChange {
    RotationQuestion.ServerChange(host: host, port: port, keys: keys, instant: instant ?? now)
  }
}
