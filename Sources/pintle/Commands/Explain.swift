import ArgumentParser
import PinRules

/// `pintle explain`: why a rule exists, an example that fails, one that passes, and where it comes from.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a finding's code.",
    discussion: """
      Prints why the rule exists, a policy that fails, the same policy fixed, and the source of the rule.

      EXAMPLES:
        pintle explain P313
        pintle explain missing-backup
        pintle explain --all --format markdown > docs/rules.md
      """)

  /// How the pages are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
  }

  @Argument(
    help: ArgumentHelp("A code such as P313, or a rule's name such as missing-backup.", valueName: "code"),
    completion: .list(Rule.catalogue.map(\.code)))
  var codes: [String] = []

  @Flag(help: "All rules, as the reference page.")
  var all = false

  @Option(help: "text or markdown.")
  var format = Format.text

  func validate() throws {
    if all != codes.isEmpty { throw ValidationError("Give one code or more, or --all.") }
  }

  func run() throws {
    let rules = try all ? Rule.catalogue : codes.map(Self.rule)
    switch format {
    case .text: try Console.write(rules.map { RulePage.terminal($0) }.joined(separator: "\n"))
    case .markdown where all: try Console.write(RulePage.reference(rules))
    case .markdown: try Console.write(rules.map { RulePage.markdown($0) }.joined(separator: "\n"))
    }
  }

  private static func rule(named text: String) throws(CommandFailure) -> Rule {
    if let rule = Rule.catalogue.first(where: { $0.code == text.uppercased() || $0.name == text.lowercased() }) {
      return rule
    }
    throw CommandFailure(
      .usage, "there is no rule '\(text)'", help: "'pintle explain --all' lists the codes and names of all rules.")
  }
}
