import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinStudies
import PinValidator

extension TestFormat: ExpressibleByArgument {}

/// `pintle test`: whether the policy does what its owners expect.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run the tests of a policy: what clients answer, and what they should.",
    discussion: """
      Reads the files *.test.yaml of the policy's directory, or those that are named. Each test names a host, what its \
      server presents, and the answer that is expected: allow, block or not-pinned. The answers come from the validator \
      that clients run, with the manifest that the policy would give, in each audience and for each kind of client. \
      With --against, tests may also ask about released manifests.

      A server presents the chain of a file or of evidence. Or it presents keys of the policy, or what a public CA may \
      issue: then the certificates are made up around what is known, as 'diff' and 'simulate' do it.\(Citation.see("docs/testing.md"))

      Exit status 2 means that a test failed, that a test or file can't be used, or that the coverage is below \
      --fail-under.

      EXAMPLES:
        pintle test
        pintle test policies/web.test.yaml --run backup
        pintle test policies --against released --key release.key.pub
        pintle test --coverage --fail-under 80
        pintle test --format junit -o tests.xml
      """)

  @Argument(help: ArgumentHelp("The policy directory, or test files of it.", valueName: "path"), completion: .file())
  var paths = ["policies"]

  @Option(help: .audience)
  var audience: String?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("Run only the tests whose names contain this text, in upper or lower case.", valueName: "name"))
  var part: String?

  @OptionGroup var against: AgainstOptions

  @Option(
    help: ArgumentHelp(
      "Anchors (PEM) instead of the system's trust store, unless a test file names its own. Repeatable.",
      valueName: "file"),
    completion: .file())
  var anchors: [String] = []

  @OptionGroup var authorities: AuthorityOptions

  @Flag(help: "Show which entries, keys, backups and denials no test touches.")
  var coverage = false

  @Option(
    help: ArgumentHelp(
      "The least coverage that doesn't fail the command, in percent; with --coverage.", valueName: "percent"))
  var failUnder: Int?

  @OptionGroup var time: TimeOption

  @Option(help: "text, json, junit, tap, github or sarif.")
  var format = TestFormat.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the results; standard output unless given.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var text: TextOptions

  func validate() throws {
    try text.check(isText: format == .text)
    guard let failUnder else { return }
    if !coverage { throw ValidationError("--fail-under requires --coverage.") }
    if !(0...100).contains(failUnder) { throw ValidationError("--fail-under is from 0 to 100.") }
  }

  func run() throws {
    let instant = time.instant
    let library = try authorities.library(at: instant)
    let directory: PolicyDirectory
    do { directory = try PolicyDirectory.load(paths) } catch { throw LoadedPolicy.failure(error) }
    guard !directory.tests.isEmpty, directory.askedTests.map({ !$0.isEmpty }) ?? true else {
      throw CommandFailure(
        .failed, "no tests in '\(paths.map(VisibleText.of).joined(separator: "', '"))': there is no file '*.test.yaml'",
        help: "'pintle test --help' says what a test is." + Citation.see("docs/testing.md"))
    }
    var policies = try directory.loaded(audience: audience)
    for number in policies.indices { policies[number].policy.library = library }
    if anchors.isEmpty { AnchorFiles.warnOfSystem() }
    let store = anchors.isEmpty ? TrustAnchors.system : try AnchorFiles.load(anchors, calling: "anchors")
    let tests = try TestRun(directory, policies, anchors: store, only: part, at: instant) {
      policy throws(CommandFailure) in
      guard against.against != nil else { return [] }
      let root = directory.files.root
      return try against.load(policy: root.isEmpty ? "." : root, for: policy.oneOfSeveral)
    }
    if let name = part, tests.outcomes.isEmpty, tests.unreadFiles.isEmpty {
      throw CommandFailure(
        .usage, "no test has a name with '\(VisibleText.of(name))'", help: "'pintle test --format tap' lists the names."
      )
    }
    if tests.outcomes.isEmpty, tests.unreadFiles.isEmpty, let audience {
      throw CommandFailure(
        .failed, "no test is about the audience '\(VisibleText.of(audience))'",
        help: "Tests without 'audiences:' are about all of them.")
    }
    let report = try TestReport(tests)
    let rendered = report.render(format, style: text.style(to: output), hasCoverage: coverage)
    try Output.write(Array(rendered.utf8), to: output ?? "-")
    if coverage, format != .text, format != .json { Console.say(report.coverage) }
    let isCovered = failUnder.map { $0 <= tests.coverage.percent } ?? true
    if !isCovered { Console.say("pintle: error: the coverage is below \(failUnder ?? 0)%") }
    if !tests.hasPassed || !isCovered { try ExitStatus.findings.exit() }
  }
}
