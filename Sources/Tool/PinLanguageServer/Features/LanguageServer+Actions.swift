import Diagnostics
import PinRules

struct CodeActionParameters: Decodable {
  struct Context: Decodable {
    var only: [String]?
  }

  var textDocument: DocumentIdentifier
  var range: WireRange
  var context: Context?
}

struct Command: Encodable {
  var title: String
  var command: String
  var arguments: [String]
}

struct CodeAction: Encodable {
  var title: String
  var kind: String
  var diagnostics: [WireDiagnostic]?
  var isPreferred: Bool?
  var edit: WorkspaceEdit
}

/// What an editor offers: an edit, or a command of the server's.
enum OfferedAction: Encodable {
  case edit(CodeAction)
  /// Alone, never inside of an action: some clients tell the two apart by the field `command`.
  case command(Command)

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .edit(let action): try action.encode(to: encoder)
    case .command(let command): try command.encode(to: encoder)
    }
  }
}

struct ExecuteCommandParameters: Decodable {
  var command: String
  var arguments: [String]?
}

extension LanguageServer {
  /// What can be done about the findings at a place: their fixes, and the reasons behind their rules.
  func actions(_ given: CodeActionParameters) -> [OfferedAction] {
    guard capabilities.takesCodeActions, let path = DocumentAddress.path(of: given.textDocument.uri),
      documents[path] != nil, let root = project(of: path)
    else { return [] }
    // The places of fixes must match the current text.
    if projects[root]?.needsCheck == true { check(root) }
    guard let project = projects[root] else { return [] }
    func isWanted(_ kind: String) -> Bool {
      given.context?.only.map { $0.contains { kind == $0 || kind.hasPrefix($0 + ".") || $0.isEmpty } } ?? true
    }
    let findings = project.diagnostics.filter { project.sources[$0.place.file].path == path }
    let here = findings.compactMap { finding in
      wire(finding, of: root).flatMap { $0.range.touches(given.range) ? (finding: finding, wire: $0) : nil }
    }
    var actions: [OfferedAction] = []
    if isWanted("quickfix") {
      for (finding, wire) in here {
        for (number, fix) in finding.fixes.enumerated() {
          let action = CodeAction(
            title: VisibleText.of(fix.title.capitalizedFirst), kind: "quickfix", diagnostics: [wire],
            isPreferred: number == 0 && fix.safety == .safe ? true : nil, edit: edit(fix.edits, of: root))
          actions.append(.edit(action))
        }
      }
      for code in Set(here.map(\.finding.code)).sorted() {
        guard let rule = Rule.catalogue.first(where: { $0.code == code }) else { continue }
        let title = "Explain \(code) (\(rule.name))"
        actions.append(.command(Command(title: title, command: "pintle.explain", arguments: [code])))
      }
    }
    if isWanted("source.fixAll"), let all = fixAll(findings, in: path, of: root) { actions.append(.edit(all)) }
    return actions
  }

  /// All that can be repaired in a file without anybody looking at it.
  private func fixAll(_ findings: [Diagnostic], in path: String, of root: String) -> CodeAction? {
    guard let sources = projects[root]?.sources else { return nil }
    let plan = FixPlan(findings, of: sources) { sources[$0].path == path }
    guard !plan.steps.isEmpty else { return nil }
    return CodeAction(
      title: "Apply all safe fixes", kind: "source.fixAll",
      edit: edit(plan.steps.flatMap(\.fix.edits), of: root))
  }

  private func edit(_ edits: [Fix.Edit], of root: String) -> WorkspaceEdit {
    var changes: [String: [TextEdit]] = [:]
    for edit in edits {
      guard let lines = projects[root]?.lines(of: edit.place.file),
        let path = projects[root]?.sources[edit.place.file].path
      else { continue }
      changes[uri(of: path), default: []].append(
        TextEdit(range: lines.range(of: edit.place, encoding), newText: edit.text))
    }
    return WorkspaceEdit(changes: changes)
  }

  /// Says why a rule is there, to the person and as the command's result.
  func execute(_ given: ExecuteCommandParameters) throws(ResponseError) -> String {
    guard given.command == "pintle.explain" else {
      throw ResponseError(.invalidParameters, "there is no command '\(VisibleText.of(given.command))'")
    }
    guard let code = given.arguments?.first, let rule = Rule.catalogue.first(where: { $0.code == code }) else {
      throw ResponseError(.invalidParameters, "there is no such rule")
    }
    notify("window/showMessage", ShowMessage(type: 3, message: RulePage.terminal(rule)))
    return RulePage.markdown(rule)
  }
}
