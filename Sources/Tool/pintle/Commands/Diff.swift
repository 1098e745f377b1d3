import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator

/// `pintle diff`: what a release would change, and whether it keeps anybody out.
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Say whether a policy can be released safely.",
    discussion: """
      The baseline is a released manifest, a directory of all released manifests ('*.json'), or 'git:REF', the policy \
      of that commit. The release is simulated for every client that may still run one of these releases, every \
      server, and every planned step. What servers present comes from --evidence; without it, any active key is \
      assumed.\(Citation.see("docs/rotation.md"))

      The output shows the findings about the rotation, the most serious first, each with the client, host, time and \
      chain that prove it; then all changes, the risky ones first. The exit status is 3 if the release locks clients out, \
      2 if it is only large (P611) or has other findings at the level of --fail-on, and 0 if it is safe. If the policy has errors, the output \
      shows those in place of the diff; the exit status is 2, or 3 if clients can't verify a key.

      Futures are also checked (--futures): changes that nobody plans, such as a certificate's next renewal, or a CA's \
      announced move to another root. There is a warning if the release would lock clients out then, and the newest \
      released manifest wouldn't.

      If the policy has several audiences, each is compared with its own releases, in AUDIENCE/ of --against, and by its \
      own settings. The exit status is that of the worst.

      EXAMPLES:
        pintle diff --against released --key release.key.pub \\
          --evidence fleet.json --adoption adoption.json
        pintle diff policies --against git:main
        pintle diff --against released/0007.json --key release.key.pub \\
          --format markdown -o comment.md
      """)

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(help: .audience)
  var audience: String?

  @OptionGroup var baseline: AgainstOptions

  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var renewals: RenewalOptions
  @OptionGroup var adoption: AdoptionOptions
  @OptionGroup var futures: FutureOptions
  @OptionGroup var time: TimeOption

  @OptionGroup var report: ReportOptions

  @Flag(help: "Accept that many hosts change or are removed at once.")
  var allowMassChange = false

  @Flag(help: "Exit with 2 if the release is safe and something changes.")
  var detailedExitcode = false

  func validate() throws {
    if baseline.against == nil { throw ValidationError("Pass what clients have: --against BASELINE.") }
  }

  func run() throws {
    let policies = try LoadedPolicy.loadEach(
      wholeOf: directory, audience: audience, for: "A diff needs the whole policy: name its directory.")
    let audiences = AudienceReport(policies)
    let isText = report.format == .text || report.format == .concise || report.format == .markdown
    try audiences.requireText(isText)
    let observed = try evidence.load()
    let keepsKey = try renewals.load(at: time.instant)
    let measured = try adoption.load(at: time.instant, against: baseline.against)
    let dropped =
      audience == nil ? try baseline.dropped(by: policies[0].policy, in: directory) : []
    // A format for programs shows one audience.
    let ends = isText ? dropped.map { ($0.audience, DroppedAudience.text($0.newest), droppedStatus) } : []
    for one in dropped where !isText {
      Console.warn(
        "the policy no longer has the audience '\(VisibleText.of(one.audience))', and its clients get no further release",
        help: "Keep it in the policy until no client asks for its manifests; then \(one.removal).")
    }
    try audiences.write(to: report.output, isMarkdown: report.format == .markdown, and: ends) { policy in
      var policy = policy
      try futures.inform(&policy, at: time.instant)
      return try compared(policy, observed, measured, keepsKey)
    }
  }

  /// The diff of one audience, and the status that it calls for.
  private func compared(
    _ policy: LoadedPolicy, _ observed: EvidenceOptions.Loaded, _ measured: AdoptionOptions.Loaded,
    _ keepsKey: @escaping @Sendable (HostName, UInt16) -> Bool
  ) throws -> (text: String, status: ExitStatus) {
    let released = try baseline.load(policy: directory, for: policy.oneOfSeveral)
    if let errors = try errors(of: policy) { return errors }
    let study = try RotationStudy(of: policy, after: released, at: time.instant) { question in
      question.releaseOptions = baseline.given
      observed.add(to: &question)
      measured.add(to: &question)
      question.keepsKey = keepsKey
      futures.add(to: &question)
    }
    guard let comparison = study.comparison() else { return ("nothing is released yet\n", .fine) }
    let diff = DiffReport(study, comparison, allowsMassChange: allowMassChange)
    sayWhereChangesAre(diff, released, policy.oneOfSeveral)
    let rendered = report.format.render(
      diff, shown: report.text.shown(diff.report, failLevel: report.failOn),
      style: report.text.style(to: report.output))
    return (rendered, status(of: diff))
  }

  /// If the policy is that of the newest release, says how to see what that release changed.
  private func sayWhereChangesAre(_ diff: DiffReport, _ released: [ReleasedManifest], _ audience: String?) {
    guard report.format == .text, diff.changes.isEmpty, diff.verdict != .unsafe, let last = released.last,
      let previous = last.manifest.previous, let before = released.first(where: { $0.digest == previous })?.path
    else { return }
    let words =
      [directory] + (audience.map { ["--audience", $0] } ?? []) + ["--against", before] + baseline.given.dropFirst(2)
    Console.say(
      VisibleText.of(
        "help: Nothing changes since \(last.name). To see what it changed itself: pintle diff "
          + words.map(ShellWord.of).joined(separator: " ")))
  }

  /// The errors of the policy, where the format has a place for them; nil where there are none.
  ///
  /// A reviewer sees them where the diff would be. As text they are shown on standard error, and nothing is written.
  private func errors(of policy: LoadedPolicy) throws -> (text: String, status: ExitStatus)? {
    guard report.format.hasErrorsOfDiff else { return nil }
    var input = CheckInput(policy: policy.policy, at: time.instant)
    input.raisesAnnouncements = false
    let outcome = CheckedPolicy.check(input)
    guard outcome.checked == nil else { return nil }
    let found = outcome.result.report(of: policy, at: time.instant)
    let rendered =
      report.format == .markdown
      ? MarkdownRenderer().body(found, after: "### pintle diff: the policy has errors, so it can't be released\n")
      : report.format.render(found, style: report.text.style(to: report.output), failLevel: report.failOn)
    Console.say("pintle: error: the policy has errors, so it can't be released")
    return (rendered, outcome.result.locksOut ? .unsafeRotation : .findings)
  }

  /// That clients get no further release is a warning.
  private var droppedStatus: ExitStatus { report.failOn <= .warning ? .findings : .fine }

  private func status(of diff: DiffReport) -> ExitStatus {
    if diff.verdict == .unsafe { return .unsafeRotation }
    if diff.report.diagnostics.contains(where: { $0.severity >= report.failOn }) { return .findings }
    return detailedExitcode && !diff.changes.isEmpty ? .findings : .fine
  }
}
