import ArgumentParser
import Diagnostics
import Pages
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies

/// `pintle simulate`: simulates a policy, and says who is locked out when.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Show when a policy would lock clients out.",
    discussion: """
      Simulates what happens if the policy is released now: the releases that clients may still run, what servers \
      present (from --evidence; without it, any active key is assumed), the steps that the policy plans, and the \
      events that the options add.\(Citation.see("docs/rotation.md"))

      The output shows the first lockout, if there is one, with its client and reason; then the assumptions, what \
      happens when, and which key's loss would lock clients out. The exit status is 3 if the simulated events lock \
      any client out, otherwise 0. Clients that are already locked out by an earlier release don't count, and neither \
      do futures: changes that nobody plans, such as a certificate's next renewal, or a CA's announced move to another \
      root.

      With --shares, it shows instead, for each audience, which releases the senders of --adoption ran on the last \
      measured day, and whether each share rises or falls. With --against, it also shows how long releases were still \
      run after the next one was released: the evidence for changing the policy's 'client-max-age'. A collector counts \
      senders ('GET /v1/adoption'); pintle doesn't fetch the counts: pass a file, or '-' for standard input.

      If the policy has several audiences, each is simulated with its own releases and settings. The exit status is that \
      of the worst.

      EXAMPLES:
        pintle simulate --against released --key release.key.pub \\
          --evidence fleet.json
        pintle simulate --against git:main \\
          --server api.example.com=web-2027@2027-02-01
        pintle simulate --against released --key release.key.pub --lose web-2026
        pintle simulate --shares --adoption adoption.json --against released \\
          --key release.key.pub
        pintle simulate --freeze --until 2028-06-01 --html simulation.html
      """)

  /// How the time line is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(help: .audience)
  var audience: String?

  @OptionGroup var baseline: AgainstOptions

  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var renewals: RenewalOptions
  @OptionGroup var adoption: AdoptionOptions

  @Flag(help: "Show only which releases the senders of --adoption run.")
  var shares = false

  @OptionGroup var futures: FutureOptions
  @OptionGroup(title: "What-if options") var suppositions: SimulationOptions
  @OptionGroup var time: TimeOption

  @Option(help: "text or json.")
  var format = Format.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the time line; standard output unless given.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("Where to write an HTML report with a time line of each host.", valueName: "file"),
    completion: .file())
  var html: String?

  func validate() throws {
    if html == "-" { throw ValidationError("--html needs a file: standard output has the time line.") }
    if shares { try validateShares() }
    if let html, html == output { throw ValidationError("--output and --html name the same file.") }
  }

  private func validateShares() throws {
    if adoption.adoption == nil { throw ValidationError("--shares requires --adoption.") }
    if let against = baseline.against, !ReleasedSource(against).isSigned {
      throw ValidationError("--against needs released manifests here: a commit has no serial.")
    }
    let others = [
      ("--html", html != nil), ("--evidence", evidence.evidence != nil), ("--renewals", !renewals.renewals.isEmpty),
      ("--until", suppositions.until != nil), ("--lose", !suppositions.lose.isEmpty),
      ("--deny", !suppositions.deny.isEmpty), ("--freeze", suppositions.freeze),
      ("--server", !suppositions.servers.isEmpty),
    ]
    if let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) can't be combined with --shares, which simulates nothing.")
    }
  }

  func run() throws {
    let now = time.instant
    if shares, let file = adoption.adoption {
      return try AdoptionShares(
        file: file, audience: audience, directory: directory, baseline: baseline, instant: now
      ).write(as: format, to: output)
    }
    try suppositions.check(now: now)
    let policies = try LoadedPolicy.loadEach(
      wholeOf: directory, audience: audience, for: "A simulation needs the whole policy: name its directory.")
    let report = AudienceReport(policies)
    try report.requireText(format == .text && html == nil)
    let observed = try evidence.load()
    let keepsKey = try renewals.load(at: now)
    let measured = try adoption.load(at: now, against: baseline.against)
    try report.write(to: output) { policy in
      var policy = policy
      try futures.inform(&policy, at: now)
      return try simulated(policy, observed, measured, keepsKey)
    }
  }

  /// The simulation of one audience, and the status that it calls for.
  private func simulated(
    _ policy: LoadedPolicy, _ observed: EvidenceOptions.Loaded, _ measured: AdoptionOptions.Loaded,
    _ keepsKey: @escaping @Sendable (HostName, UInt16) -> Bool
  ) throws -> (text: String, status: ExitStatus) {
    let now = time.instant
    let released = try baseline.load(policy: directory, for: policy.oneOfSeveral)
    let study = try RotationStudy(of: policy, after: released, at: now) { question in
      question.releaseOptions = baseline.given
      observed.add(to: &question)
      measured.add(to: &question)
      suppositions.add(to: &question)
      question.keepsKey = keepsKey
      futures.add(to: &question)
    }
    try study.requireOrder()
    let report = SimulationReport(study)
    let text = format == .json ? SimulationJSON(report: report).text() : SimulationText(report: report).text()
    if let html { try Output.write(Array(page(of: report).html().utf8), to: html) }
    return (text, report.timeline.first == nil ? .fine : .unsafeRotation)
  }

  private func page(of report: SimulationReport) -> RotationPage {
    RotationPage(
      timeline: report.timeline, certificates: report.certificates, losses: report.losses,
      futures: report.futures, assumptions: report.assumptions.map { RotationPage.Assumption($0.term, $0.text) },
      witness: report.witness,
      tool: Version.compiler)
  }
}
