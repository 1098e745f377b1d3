package import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinStudies

extension GateResult {
  /// What the gate says of files, as reports and `pintle explain` name it.
  package static let rules = [
    RuleInfo(
      code: "gate-refused", name: "gate-refused", title: "A pull request has a file that must not be merged.",
      severity: .error,
      rationale: "Releases and keysets are never changed or removed. New ones need signatures of the base's signers.",
      citation: "docs/ci.md#the-gate"),
    RuleInfo(
      code: "gate-unsigned", name: "gate-unsigned", title: "A file must still be signed before it is merged.",
      severity: .error, rationale: "A release needs the signatures of the base's keyset and of the files' owners.",
      citation: "docs/ci.md#the-gate"),
    RuleInfo(
      code: "gate-watched", name: "gate-watched", title: "A person has to look at a part of a pull request.",
      severity: .warning,
      rationale: "Workflows, hooks and `ci` decide what is checked. Commits can withdraw drafts that the changed files "
        + "don't show.",
      citation: "docs/ci.md#the-gate"),
  ]

  /// The verdicts and all findings, as renderers of findings take them.
  package func report(failLevel: Severity) -> Report {
    let named = refused + unsigned + watched
    let sources = SourceSet(Set(named.map(\.path)).map { SourceSet.File(path: file($0), bytes: []) })
    let ids = Dictionary(sources.ids.map { (sources[$0].path, $0) }) { first, _ in first }
    var diagnostics: [Diagnostic] = []
    for verdict in named {
      let (rule, help): (RuleInfo, String)
      switch verdict.outcome {
      case .allowed: continue
      case .refused(_, let advice): (rule, help) = (Self.rules[0], advice)
      case .unsigned: (rule, help) = (Self.rules[1], "Have it signed.")
      case .watched: (rule, help) = (Self.rules[2], "Read it, or have its owner read it.")
      }
      guard let id = ids[file(verdict.path)] else { continue }
      diagnostics.append(
        Diagnostic(
          code: rule.code, severity: rule.severity, message: verdict.message, place: .beginning(of: id), help: help,
          citation: rule.citation))
    }
    var report = Report(
      diagnostics: diagnostics, sources: sources, rules: Self.rules, tool: .pintle, instant: instant.description)
    for comparison in comparisons { report.add(comparison.report) }
    report.outcome = headline(failLevel: failLevel)
    return report
  }

  /// A path from the root of the repository, as code hosts name it.
  private func file(_ path: String) -> String {
    path.hasPrefix("/") ? String(path.dropFirst()) : branch.prefix + path
  }

  /// All of it, for programs.
  package func json(failLevel: Severity) -> String {
    JSONWriter.document("pintle-gate", by: .pintle) { writer in
      writer.member("at", instant.description)
      writer.member("state", state(failLevel: failLevel).name)
      writer.member("headline", headline(failLevel: failLevel))
      for (name, side) in [("branch", branch), ("base", base)] {
        writer.object(name) { writer in
          writer.member("name", side.name)
          if case .commit = side.place { writer.member("commit", side.id) }
        }
      }
      writer.objects("files", verdicts) { verdict, writer in
        writer.member("file", verdict.path)
        switch verdict.outcome {
        case .allowed: writer.member("outcome", "allowed")
        case .watched: writer.member("outcome", "watched")
        case .unsigned: writer.member("outcome", "unsigned")
        case .refused: writer.member("outcome", "refused")
        }
        writer.member("message", verdict.message)
        writer.member("help", verdict.help)
      }
      writer.objects("mustSign", signing.flatMap(\.missing)) { signer, writer in
        writer.member("file", signer.file)
        writer.member("name", signer.name)
        writer.member("role", signer.role)
        writer.member("of", signer.of)
        writer.member("needed", signer.needed)
      }
      writer.objects("audiences", comparisons) { comparison, writer in
        writer.member("audience", comparison.audience)
        writer.member("evidence", comparison.evidence)
        switch comparison.found {
        case .errors: writer.member("verdict", "errors")
        case .diff(let diff):
          writer.member("verdict", diff.verdict)
          writer.member("headline", diff.headline)
        }
        JSONRenderer().addFindings(of: comparison.report, to: &writer)
      }
    }
  }
}
