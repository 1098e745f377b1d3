package import Diagnostics
import PinFormat
import PinPolicy

/// What Pintle says of a rule to those who ask: the same words at the terminal and in the reference.
package enum RulePage {
  /// The page of `pintle explain CODE`, 80 columns wide where its text can be wrapped.
  ///
  /// `output` is what checking the failing example prints, where the caller has it; `documentation` is the address of the
  /// documentation.
  package static func terminal(_ rule: Rule, output: String? = nil, documentation: String? = nil) -> String {
    var sections = ["\(rule.code) \(rule.name) (\(rule.severity.rawValue))"]
    sections.append(TextFlow.wrapped(rule.title))
    sections.append(TextFlow.wrapped(rule.rationale))
    sections.append("This is reported\(asOf(rule.failing, of: rule)):\n\n" + plain(rule.failing))
    if let observed = rule.failing.observed { sections.append(TextFlow.wrapped(observed.text)) }
    if let output, !output.isEmpty { sections.append("Pintle says:\n\n" + TextFlow.indented(output)) }
    sections.append("This isn't reported\(asOf(rule.passing, of: rule)):\n\n" + plain(rule.passing))
    if let observed = rule.passing.observed { sections.append(TextFlow.wrapped(observed.text)) }
    sections.append(suppression(of: rule, quote: ""))
    let source = Citation.text(rule.citation, in: documentation)
    if !source.isEmpty {
      sections.append("Source: " + source + (Citation.address(of: source).map { "\n        " + $0 } ?? ""))
    }
    if let page = Citation.page(of: rule.code, in: documentation) { sections.append("Page: " + page) }
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The rule's section of the reference, under a heading of its code and name.
  package static func markdown(_ rule: Rule, output: String? = nil) -> String {
    var sections = ["## \(rule.code) \(rule.name)", "**\(capitalised(rule.severity.rawValue)).** \(rule.title)"]
    sections.append(rule.rationale)
    sections.append("This is reported\(asOf(rule.failing, of: rule)):\n\n" + fenced(rule.failing))
    if let observed = rule.failing.observed { sections.append(observed.text) }
    if let output, !output.isEmpty { sections.append("Pintle says:\n\n" + MarkdownText.fenced(output, as: "text")) }
    sections.append("This isn't reported\(asOf(rule.passing, of: rule)):\n\n" + fenced(rule.passing))
    if let observed = rule.passing.observed { sections.append(observed.text) }
    sections.append(suppression(of: rule, quote: "`"))
    sections.append("Source: " + MarkdownText.linked(citation: rule.citation))
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The page of a code that no policy can have.
  package static func terminal(_ rule: RuleInfo) -> String {
    [
      "\(rule.code) (\(rule.severity.rawValue))", TextFlow.wrapped(rule.title), TextFlow.wrapped(rule.rationale),
      "Source: \(rule.citation)",
    ].joined(separator: "\n\n") + "\n"
  }

  /// The whole of docs/rules.md: an index by family, then a section for each rule.
  ///
  /// - Parameters:
  ///   - rules: The rules about policies, servers, rotations, keysets and imports.
  ///   - gate: What the gate says about drafts and releases, which no policy can have.
  /// - Returns: Markdown.
  package static func reference(_ rules: [Rule], gate: [RuleInfo]) -> String {
    var page = """
      # Rules

      What `pintle check` looks for; `pintle explain CODE` prints one section. A code never changes its meaning and is
      never reused. The examples are checked as of \(Example("").instant). Rules about live servers need evidence, from
      `pintle probe` or `pintle check --evidence FILE`. Rules about rotation need released manifests, with `pintle diff
      --against BASELINE`; their examples show the earlier release first. The commands that make, sign and verify
      [keysets](signing.md#keysets) check the rules about these, and [`pintle import`](import.md) those about imported files.

      <!-- Made by: pintle explain --list --format markdown > docs/rules.md -->

      """
    for family in Rule.Family.allCases {
      let rows = rules.filter { $0.family == family }.map(row)
      if rows.isEmpty { continue }
      page += "\n**\(title(of: family))**\n\n| code | name | severity | what it says |\n|---|---|---|---|\n"
      page += rows.joined(separator: "\n") + "\n"
    }
    page += "\n**[The gate](ci.md#the-gate)**\n\n| code | severity | what it says |\n|---|---|---|\n"
    for rule in gate { page += "| \(rule.code) | \(rule.severity.rawValue) | \(rule.title) |\n" }
    for rule in rules { page += "\n" + markdown(rule) }
    return page
  }

  private static func row(_ rule: Rule) -> String {
    let anchor = "\(rule.code)-\(rule.name)".lowercased()
    let title = rule.title.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    return "| [\(rule.code)](#\(anchor)) | \(rule.name) | \(rule.severity.rawValue) | \(title) |"
  }

  private static func title(of family: Rule.Family) -> String {
    switch family {
    case .syntax: "Syntax"
    case .hosts: "Hosts"
    case .keys: "Keys and key sets"
    case .lifetime: "Lifetime and rollout"
    case .live: "Live servers"
    case .rotation: "Rotation"
    case .signing: "Signing"
    case .reports: "Reports"
    case .exchange: "Import"
    }
  }

  private static func suppression(of rule: Rule, quote: String) -> String {
    guard rule.isSuppressible else { return "This finding can't be suppressed." }
    let comment = "\(quote)# pintle:allow \(rule.code) until YYYY-MM-DD: reason\(quote)"
    return "To accept a finding for a time, end its line with:\(quote.isEmpty ? "\n\n    " : " ")\(comment)"
  }

  /// Where a date decides, the instant at which the example is checked.
  private static func asOf(_ example: Example, of rule: Rule) -> String {
    [.lifetime, .live, .rotation].contains(rule.family)
      || [Rule.keysetExpiring.code, Rule.oldKnowledge.code].contains(rule.code)
      ? ", as of \(example.instant)" : ""
  }

  private static func plain(_ example: Example) -> String {
    parts(of: example).map { part in
      (part.name.map { $0 + ":\n\n" } ?? "") + TextFlow.indented(part.text)
    }.joined(separator: "\n\n")
  }

  private static func fenced(_ example: Example) -> String {
    parts(of: example).map { part in
      (part.name.map { part.isPath ? "`\($0)`:\n\n" : "\($0):\n\n" } ?? "")
        + MarkdownText.fenced(part.text, as: part.language)
    }.joined(separator: "\n\n")
  }

  private typealias Part = (name: String?, isPath: Bool, text: String, language: String)

  /// The example's files, named where there is more to see than one policy, and what they are compared with: policies
  /// that were released before, in order of time, or a manifest.
  private static func parts(of example: Example) -> [Part] {
    var parts: [Part] = example.released.flatMap { release in
      named(release.files, "Released as serial \(release.serial) on \(release.issued.written)")
    }
    parts += named(example.files, example.released.isEmpty ? nil : "The policy now, on \(example.instant.written)")
    for day in example.adoption?.days ?? [] {
      let senders = day.senders.sorted { $0.key > $1.key }.map { "serial \($0): \(Share.number($1)) senders\n" }
      parts.append(("Measured on \(day.text)", false, senders.joined(), "text"))
    }
    if let baseline = example.baseline { parts.append(("with this manifest released", false, baseline, "json")) }
    return parts
  }

  /// Files with their paths, and what they are; a policy of one file needs no path.
  private static func named(_ files: [Example.File], _ title: String?) -> [Part] {
    let isPlain = files.count == 1 && files.allSatisfy { $0.path == "policy.yaml" }
    return files.map { file in
      let isYAML = file.path.hasSuffix(".yaml") || file.path.hasSuffix(".yml")
      let path = isPlain ? nil : file.path
      let name = title.map { title in path.map { "\(title), \($0)" } ?? title } ?? path
      return (name, title == nil, visible(file.text), isYAML ? "yaml" : "text")
    }
  }

  /// The text line by line, with what can't be seen spelled out: some examples are about just that.
  private static func visible(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { VisibleText.of(String($0)) }
      .joined(separator: "\n")
  }

  private static func capitalised(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }
}
