import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinStudies

/// `pintle gate`: whether a pull request may be merged.
struct Gate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Say whether a branch may be merged.",
    discussion: """
      Looks at everything that the branch changes since it left the base. Keysets, releases and owners are those of the \
      base; nothing is read from the working tree. The policy is checked and compared with what clients have, as 'pintle \
      diff' does. A new release or keyset needs the signatures that 'pintle event status' asks for, in 'event' or in the \
      file itself. What is released is never changed or removed. Files that don't belong in 'released', 'keysets' or \
      'event' are refused by name, and changes of workflows, hooks and 'ci' are named.\(Citation.see("docs/ci.md"))

      REF is a branch, a tag or a commit; '.', or a path that begins with './', '../' or '/', is a folder without git.

      The exit status is 0 if the branch may be merged, 2 if signatures are missing or the policy has findings, 3 if its \
      release would lock clients out, 6 if a file is refused, and 1 if something can't be read: a base without releases, \
      a shallow clone.

      EXAMPLES:
        pintle gate --base origin/main
        pintle gate --base origin/main --branch release-8 \\
          --format markdown -o comment.md
        pintle gate --base ../main --branch .
        pintle gate --base origin/main --rules ci/rules.yaml
      """)

  @Option(
    help: ArgumentHelp(
      "The repository, or the folder of it that has 'policies', 'keysets', 'released' and 'event'.",
      valueName: "directory"), completion: .directory)
  var repository = "."

  @Option(help: ArgumentHelp("What the branch is merged into, on a build server often origin/main.", valueName: "ref"))
  var base: String

  @Option(help: ArgumentHelp("The branch; HEAD unless given, or '.' if the base is a folder.", valueName: "ref"))
  var branch: String?

  @Flag(
    help: ArgumentHelp(
      "Accept a base without a keyset or a release for an audience.",
      discussion: "For the person who makes the first commit of them on the base. Never pass it in a workflow."))
  var firstRelease = false

  @Flag(
    help: ArgumentHelp(
      "Judge a commit that a hook makes before the real one.",
      discussion:
        "It takes the place of the checked-out branch. The exit status is 2, not 6, if only files in 'event' are "
        + "refused: a draft can be built again, or removed, in a later commit."))
  var beforeCommit = false

  @Option(
    help: ArgumentHelp(
      "A folder whose 'policies' the last release was compiled from, where the base doesn't have them. Repeatable.",
      discussion: "It is compared with the digest that was signed, and says who must sign changes.",
      valueName: "folder"), completion: .directory)
  var sources: [String] = []

  @Option(
    help: ArgumentHelp(
      "A record of what live servers present. Repeatable: each is judged on its own.", valueName: "file"),
    completion: .file())
  var evidence: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file in 'ci' of the base that names your own programs that check the policy.",
      discussion: "It and the programs beside it are those of the base, whatever the branch changes.",
      valueName: "file"))
  var rules: String?

  @OptionGroup var stores: TrustStoreOptions
  @OptionGroup var renewals: RenewalOptions
  @OptionGroup var adoption: AdoptionOptions
  @OptionGroup var futures: FutureOptions
  @OptionGroup var time: TimeOption

  @OptionGroup var findings: FindingsOptions

  func validate() throws {
    if evidence.isEmpty, stores.isGiven {
      throw ValidationError("--trust-store and --no-system-store require --evidence.")
    }
  }

  func run() throws {
    let base = RepositoryPlace(base)
    let head: RepositoryPlace
    if let given = branch {
      head = RepositoryPlace(given)
    } else if case .folder = base {
      head = .folder(".")
    } else {
      head = .commit("HEAD")
    }
    if case .commit = base { try GitHistory.requireWhole(repository) }
    let sources = try EventSources(
      repository, branch: head, base: base, isFirst: firstRelease, further: sources,
      isBeforeCommit: beforeCommit)
    let keepsKey = try renewals.load(at: time.instant)
    let measured = try adoption.load(at: time.instant, against: "released")
    var records: [(name: String?, add: (inout RotationQuestion) -> Void)] = []
    for path in evidence.isEmpty ? [nil] : evidence.map(Optional.init) {
      var record: Evidence?
      var roots: [NamedStore] = []
      if let path {
        let read = try EvidenceFile.read(path)
        (record, roots) = (read, try stores.load(besides: read))
      }
      records.append(
        (
          evidence.count > 1 ? path : nil,
          { [record, roots] question in
            question.evidence = record
            question.stores = roots
            measured.add(to: &question)
            question.keepsKey = keepsKey
            futures.add(to: &question)
          }
        ))
    }
    let question = GateQuestion(
      library: try futures.authorities.library(at: time.instant), records: records,
      rules: try rules.map { (path) throws(CommandFailure) in
        try BaseRules(
          path, of: sources, at: time.instant, endingWith: Console.interruption("nothing was judged"))
      })
    let result = try GateJudgement.judge(sources, at: time.instant, question)
    try Output.write(Array(rendered(result).utf8), to: findings.output ?? "-")
    try result.state(failLevel: findings.failOn).exitStatus.exit()
  }

  private func rendered(_ result: GateResult) -> String {
    let failLevel = findings.failOn
    return switch findings.format {
    case .text: GateText(result, failLevel: failLevel, style: TextRenderer()).text()
    case .markdown: GateMarkdown(result, failLevel: failLevel).text()
    case .json: result.json(failLevel: failLevel)
    case .concise, .sarif, .github, .gitlab, .junit:
      findings.format.render(result.report(failLevel: failLevel), failLevel: failLevel)
    }
  }
}

extension GateResult.State {
  /// What the command ends with.
  var exitStatus: ExitStatus {
    switch self {
    case .fine: .fine
    case .findings: .findings
    case .unsafeRotation: .unsafeRotation
    case .refused: .refused
    }
  }
}
