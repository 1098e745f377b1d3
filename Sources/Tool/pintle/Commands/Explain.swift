import ArgumentParser
import Diagnostics
import PinGate
import PinPolicy
import PinRules
import PinStudies

/// `pintle explain`: why a rule exists, an example that fails, one that passes, and where it comes from.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a finding's code, or search the rules.",
    discussion: """
      Prints why the rule exists, a policy that fails, the same policy fixed, and the source of the rule. Other words are \
      searched for: the rules that contain all of them are listed, those with the words in their title first. The codes \
      in brackets, with which clients say why they reject a manifest, and those of 'pintle gate' are explained too.

      EXAMPLES:
        pintle explain P313
        pintle explain missing-backup
        pintle explain --list
        pintle explain backup
        pintle explain refuses-recent-chain
        pintle explain --list --format markdown > rules.md
        pintle explain X101 --rules ci/rules.yaml
      """)

  /// How the pages are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
  }

  @Argument(
    help: ArgumentHelp(
      "A code such as P313, a rule's name such as missing-backup, or words to search for.", valueName: "code"),
    completion: .list(Rule.catalogue.map(\.code)))
  var subjects: [String] = []

  @Flag(help: "Print one line for each rule: code, severity, name and title; as Markdown, the reference page.")
  var list = false

  @Option(help: .rulesFile, completion: .file())
  var rules: String?

  @Option(help: "text or markdown.")
  var format = Format.text

  func validate() throws {
    if list != subjects.isEmpty { throw ValidationError("Give codes or words, or --list.") }
  }

  func run() throws {
    if list, format == .text {
      return try Console.write(RuleSearch.table(Rule.catalogue.map(\.info) + GateResult.rules))
    }
    if subjects.count == 1, let code = subjects.first?.uppercased(), SuppressionComment.isCode(code, "X") {
      return try explainOwn(code)
    }
    let named = subjects.map { RuleSearch.rule(named: $0) }
    if subjects.count == 1, named[0] == nil, format == .text,
      let page = ClientCode.explained(subjects[0])?.page(documentation: Report.Tool.pintle.reference)
        ?? GateResult.rules.first(where: { $0.code == subjects[0].lowercased() }).map(RulePage.terminal)
    {
      return try Console.write(page)
    }
    let rules = list ? Rule.catalogue : named.compactMap(\.self)
    guard !rules.isEmpty else { return try search() }
    if let index = named.firstIndex(where: { $0 == nil }) { throw Self.unknown(subjects[index]) }
    switch format {
    case .text:
      let documentation = Report.Tool.pintle.reference
      let pages = rules.map { RulePage.terminal($0, documentation: documentation) }
      try Console.write(pages.joined(separator: "\n"))
    case .markdown where list: try Console.write(RulePage.reference(rules, gate: GateResult.rules))
    case .markdown: try Console.write(rules.map { RulePage.markdown($0) }.joined(separator: "\n"))
    }
  }

  /// Says where a rule of the user's own comes from.
  private func explainOwn(_ code: String) throws {
    let end = Console.interruption("nothing was explained")
    let file = try rules.map { (path) throws(CommandFailure) in
      try OwnRules(path, at: TimeArgument.now, endingWith: end)
    }
    guard let file else {
      return try Console.write(
        """
        \(code) (a rule of your own)

        A program of yours reports it. Each finding names the rules file that lists it as
        its source; with this file as --rules, this command says which program it is.

        """)
    }
    guard let page = file.page(of: code) else {
      throw CommandFailure(
        .usage, "'\(VisibleText.of(file.path))' doesn't list \(code)",
        help: "The source of a finding names the rules file that lists its code.")
    }
    try Console.write(page)
  }

  /// Lists the rules that contain the words.
  private func search() throws {
    let found = RuleSearch.rules(with: subjects)
    let codes = RuleSearch.clientCodes(with: subjects)
    guard !found.isEmpty || !codes.isEmpty else { throw Self.unknown(subjects.joined(separator: " ")) }
    try Console.write(RuleSearch.table(found.map(\.info)) + codes.map { "\($0.name): \($0.firstSentence)\n" }.joined())
    let others = codes.isEmpty ? "" : ", and \(counted(codes.count, "code")) of clients"
    Console.say("\(counted(found.count, "rule")) found\(others); 'pintle explain CODE' explains one")
  }

  private static func unknown(_ text: String) -> CommandFailure {
    CommandFailure(.usage, "there is no rule '\(text)'", help: RuleSearch.help(text))
  }
}
