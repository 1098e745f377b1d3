import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import PinStudies

/// What is supposed to happen besides what the policy says.
struct SimulationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Simulate up to this time, excluded. Default: one adoption window and a day after the last planned step, or after now.",
      valueName: "date"), transform: TimeArgument.read)
  var until: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "Lose a key now: no server can present it any more, and each changes to the chain that most of its clients accept. Repeatable.",
      valueName: "key"))
  var lose: [String] = []

  @Option(help: ArgumentHelp("Deny a key in the next release. Repeatable.", valueName: "key"))
  var deny: [String] = []

  @Flag(help: "Assume that nothing is released after this policy: its manifest expires, and none replaces it.")
  var freeze = false

  @Option(
    name: .customLong("server"),
    help: ArgumentHelp(
      "Let a host present another key from a date on. One key replaces the leaf, or the authority if it is a CA's; "
        + "keys joined with '+' are the whole chain, the leaf first; 'unknown' is a new key that no manifest has. "
        + "'now', like a date in the past, means at once. Repeatable.",
      valueName: "host[:port]=key@date"), transform: ServerChangeArgument.read)
  var servers: [ServerChangeArgument] = []

  /// Finds out before any work whether there is a span to look at.
  func check(now: Instant) throws(CommandFailure) {
    guard let until = until?.instant, until <= now else { return }
    throw CommandFailure(
      .usage, "--until \(until) is not after \(now), which counts as now",
      help: "Only the future is simulated: pass a later --until, or an earlier --at.")
  }

  /// Puts all of it into a question.
  func add(to question: inout RotationQuestion) {
    question.end = until?.instant
    question.lost = lose
    question.denied = deny
    question.isFrozen = freeze
    question.serverChanges = servers.map { $0.change(at: question.now) }
  }
}

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
