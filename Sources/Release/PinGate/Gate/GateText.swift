package import Diagnostics
import PinPolicy
import PinRelease
import PinStudies

/// What a pull request comes to, as people read it in a terminal.
package struct GateText {
  private let result: GateResult
  private let failLevel: Severity
  private let style: TextRenderer

  package init(_ result: GateResult, failLevel: Severity, style: TextRenderer) {
    (self.result, self.failLevel, self.style) = (result, failLevel, style)
  }

  package func text() -> String {
    var text = "\(VisibleText.of(result.branch.title)) \(VisibleText.of(result.headline(failLevel: failLevel)))\n"
    for line in result.circumstances { text += "  \(VisibleText.of(line))\n" }
    text += section("refused", result.refused)
    text += section("to be signed", result.unsigned)
    for status in result.signing where status.state != .complete { text += SigningEventText(status).drafts() }
    text += section("look at these", result.watched)
    text += section("allowed", result.allowed)
    for comparison in result.comparisons {
      text += "\n" + (comparison.title.isEmpty ? "" : VisibleText.of(comparison.title) + "\n\n")
      switch comparison.found {
      case .errors(let report, _): text += style.render(report)
      case .diff(let diff):
        if comparison.isLeftToSigners { text += "for its signers to decide, who have the draft:\n" }
        text += DiffText(diff: diff, shown: diff.report, style: style).text(isConcise: false)
      }
    }
    return text
  }

  private func section(_ title: String, _ verdicts: [GateVerdict], most: Int = 50) -> String {
    guard !verdicts.isEmpty else { return "" }
    var text = "\n\(title)\n"
    for verdict in verdicts.prefix(most) {
      text += "  \(VisibleText.of(verdict.path)): \(VisibleText.of(verdict.message))\n"
      if let help = verdict.help { text += "    \(VisibleText.of(help))\n" }
    }
    return text + (verdicts.count > most ? "  and \(verdicts.count - most) more\n" : "")
  }
}

extension GateResult {
  /// What was compared with what.
  var circumstances: [String] {
    [
      "\(branch.short), compared with \(base.name) \(base.short)",
      "changes \(counted(counts.listed, "file")) that \(counts.listed == 1 ? "is" : "are") listed below, "
        + "\(counts.policy) of the policy, and \(counts.other) that the gate doesn't check",
      branches.map { "looked for withdrawn drafts on \(counted($0, "branch", plural: "branches"))" }
        ?? "folders have no history, so nothing is known about drafts that were withdrawn",
    ]
  }
}

/// What a pull request comes to, as one comment; none of what others wrote becomes markup.
package struct GateMarkdown {
  private let result: GateResult
  private let failLevel: Severity
  /// GitHub refuses a comment of more than 65,536 characters.
  private static let limit = 60_000

  package init(_ result: GateResult, failLevel: Severity) {
    (self.result, self.failLevel) = (result, failLevel)
  }

  package func text() -> String {
    var text = "### pintle gate: \(Markdown.escaped(result.headline(failLevel: failLevel)))\n\n"
    for line in result.circumstances { text += "- \(Markdown.escaped(line))\n" }
    add("Refused", result.refused, to: &text)
    add("Must still be signed", result.unsigned, to: &text)
    add("Look at these", result.watched, to: &text)
    add("Allowed", result.allowed, to: &text)
    for status in result.signing where !status.drafts.isEmpty {
      text += "\n" + SigningEventMarkdown(status, limit: Self.limit / 4).text()
    }
    for (number, comparison) in result.comparisons.enumerated() {
      if !comparison.title.isEmpty { text += "\n## \(Markdown.escaped(comparison.title))\n" }
      let room = max(2_000, (Self.limit - text.utf8.count) / (result.comparisons.count - number))
      guard text.utf8.count + room <= Self.limit + 2_000 else {
        return text + "\nand \(result.comparisons.count - number) more audiences: run 'pintle gate'\n"
      }
      switch comparison.found {
      case .errors(let report, _):
        text += MarkdownRenderer(limit: room).body(
          report, after: "\n### pintle diff: the policy has errors, so it can't be released\n")
      case .diff(let diff):
        if comparison.isLeftToSigners { text += "\nFor its signers to decide, who have the draft:\n" }
        text += "\n" + DiffMarkdown(diff: diff, limit: room).text()
      }
    }
    return text
  }

  /// Adds a list of as many files as there is room for: a third of the comment for all of them.
  private func add(_ title: String, _ verdicts: [GateVerdict], to text: inout String) {
    guard !verdicts.isEmpty else { return }
    text += "\n**\(title)**\n\n"
    for (number, verdict) in verdicts.enumerated() {
      let help = verdict.help.map { ". " + Self.cut($0) } ?? ""
      let path = Markdown.code(Self.cut(verdict.path))
      let line = "- \(path): \(Markdown.escaped(Self.cut(verdict.message) + help))\n"
      guard number < 20, text.utf8.count + line.utf8.count <= Self.limit / 3 else {
        text += "- and \(verdicts.count - number) more\n"
        return
      }
      text += line
    }
  }

  /// Nobody's long text takes the others' room.
  private static func cut(_ text: String) -> String {
    text.unicodeScalars.count > 400 ? String(text.prefix(400)) + "…" : text
  }
}
