import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinStudies

/// `pintle adoption`: which releases senders run.
struct AdoptionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adoption",
    abstract: "Show how many senders run which release.",
    discussion: """
      Reads what a collector counted ('GET /v1/adoption'), and shows for each audience which releases senders ran on the \
      last measured day, and whether each share rises or falls. With --against, it also shows how long releases were \
      still run after the next one was released, and with --policy, 'client-max-age' for comparison: the evidence for \
      changing it.

      pintle doesn't fetch the counts: pass a file, or '-' for standard input. See docs/rotation.md.

      EXAMPLES:
        curl -fsS 'https://pins.example.org/v1/adoption?days=120' > adoption.json
        pintle adoption adoption.json
        pintle adoption adoption.json --policy policies --against released \\
          --key release.key.pub
      """)

  @Argument(help: ArgumentHelp("The counts of a collector.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Only this audience; all unless given.", valueName: "name"))
  var audience: String?

  @Option(
    help: ArgumentHelp("The policy directory, whose 'client-max-age' is shown.", valueName: "directory"),
    completion: .directory)
  var policy: String?

  @OptionGroup var baseline: AgainstOptions
  @OptionGroup var time: TimeOption
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    if let against = baseline.against, !ReleasedSource(against).isSigned {
      throw ValidationError("--against needs released manifests here: a commit has no serial.")
    }
  }

  func run() throws {
    let record = try AdoptionRecord.read(path: file)
    try record.require(notAfter: time.instant, path: file)
    if let age = record.age(at: time.instant) {
      Console.warn(
        "'\(VisibleText.of(file))' is old: \(age)", help: "Fetch it again from the collector: /v1/adoption.")
    }
    let names = try audiences(of: record)
    let known = try policy.map { try windows(in: $0) } ?? [:]
    let reports = try names.map { name in
      AdoptionReport(
        name, record.adoption(of: name), released: try name.map { try released($0) } ?? [],
        window: name.flatMap { known[$0] })
    }
    try facts.write(
      text: AdoptionReport.text(reports), json: AdoptionReport.json(reports, measured: record.measured))
  }

  /// How many audiences are shown unless one is asked for: anybody can send any name.
  private static let most = 20

  private func audiences(of record: AdoptionRecord) throws(CommandFailure) -> [String?] {
    let known = record.audiences
    if let audience {
      guard known.contains(audience) else {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(file))' has no senders of the audience '\(VisibleText.of(audience))'",
          help: Suggestion.help(
            audience, among: known, else: "Ask the collector for more days, or for another audience."))
      }
      return [audience]
    }
    guard !record.rows.isEmpty else {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(file))' has no senders",
        help: "Ask the collector for more days. Services send counts once a day, if 'report-uris' are set.")
    }
    if known.count > Self.most {
      Console.warn(
        "\(known.count - Self.most) audiences with few senders aren't shown", help: "Pass --audience to see one.")
    }
    let unnamed: [String?] = record.rows.contains { $0.audience == nil } ? [nil] : []
    return known.prefix(Self.most).map { $0 } + unnamed
  }

  /// The releases of an audience.
  ///
  /// Its name may be anybody's, so it never becomes part of a path unless it is one name.
  private func released(_ audience: String) throws(CommandFailure) -> [ReleasedManifest] {
    guard !audience.contains("/"), !audience.hasPrefix(".") else { return [] }
    return try baseline.released(policy: "", for: audience)
  }

  private func windows(in directory: String) throws -> [String: Int64] {
    let policies = try LoadedPolicy.loadEach(
      wholeOf: directory, audience: nil, for: "The policy says 'client-max-age': name its directory.")
    var windows: [String: Int64] = [:]
    for policy in policies {
      windows[policy.policy.settings?.audience?.value ?? ""] = policy.policy.effectiveSettings.clientMaxAge
    }
    return windows
  }
}
