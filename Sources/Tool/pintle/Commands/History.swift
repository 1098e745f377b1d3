import ArgumentParser
import Diagnostics
import PinGate
import PinRelease

/// `pintle history`: all that was ever released, for those who look back at it.
struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List all releases, with dates, signers, changes and verdicts.",
    discussion: """
      Verifies every manifest in a directory, and lists the releases of each audience: dates, signers, the commit of \
      the sources, what changed since the release before, and what 'pintle diff' says of it as of its issue time.

      A manifest doesn't say how long clients keep it, which steps were planned or which findings were suppressed. So \
      without --sources, verdicts are 'not checked'. With it, the policy is read from the commit that the manifest \
      names, compiled again and compared byte for byte, and then judged without evidence, by today's rules. If there is \
      no commit, or an earlier release is missing, the release is 'not checked' too, with the reason.

      Problems are listed with their release: a file without enough signatures, two releases with one serial, a missing \
      release, another predecessor, a time before the release before it, and sources that don't compile to it. The exit \
      status is 6 for signatures and sources, else 3. An unsafe verdict doesn't change the exit status.

      EXAMPLES:
        pintle history released --keyset keysets
        pintle history released --keyset keysets --sources policies
        pintle history released --keyset keysets --audience production --format csv
        pintle history released --key release.key.pub --format json
      """)

  /// How the releases are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case csv
  }

  @Argument(help: ArgumentHelp("The directory of all releases.", valueName: "directory"), completion: .directory)
  var directory: String

  @OptionGroup var verification: VerificationOptions

  @Option(
    help: ArgumentHelp(
      "The policy directory in its git repository, to judge each release by the commit that it names.",
      valueName: "directory"), completion: .directory)
  var sources: String?

  @Option(help: "text, json or csv.")
  var format = Format.text

  func run() throws {
    let history = try ReleaseHistory(in: directory, audience: verification.audience, sources: sources) {
      audience throws(CommandFailure) in
      var options = verification
      options.audience = audience
      guard let trust = try options.trust() else { throw Trust.missing(for: directory) }
      return trust
    }
    let facts = HistoryFacts(history: history)
    switch format {
    case .text: try Console.write(facts.text())
    case .json: try Console.write(facts.json())
    case .csv: try Console.write(facts.csv())
    }
    let problems = history.problems
    guard !problems.isEmpty else { return }
    throw CommandFailure(
      problems.contains { $0.kind == .refused } ? .refused : .unsafeRotation,
      "'\(VisibleText.of(directory))' has \(counted(problems.count, "problem")), listed above")
  }
}
