import Diagnostics
import PinRotation

/// A diff for people at a terminal: the verdict, the findings, then the changes, the risky first.
struct DiffText {
  let diff: DiffReport
  var isColoured = false

  /// The most changes that are told of one risk; equal ones count once.
  private static let most = 50

  func text() -> String {
    var text = VisibleText.of(diff.headline) + "\n"
    for line in diff.circumstances { text += "  " + VisibleText.of(line) + "\n" }
    if !diff.report.diagnostics.isEmpty {
      text += "\n" + TextRenderer(isColoured: isColoured).findings(diff.report)
    } else if !diff.report.suppressed.isEmpty || !diff.changes.isEmpty {
      text += "\n"
    }
    text += suppressed()
    let sections = ChangeRisk.allCases.reversed().map { section(of: $0) }.filter { !$0.isEmpty }
    return text + sections.joined(separator: "\n")
  }

  private func suppressed() -> String {
    guard !diff.report.suppressed.isEmpty else { return "" }
    let lines = diff.report.suppressed.map { finding in
      let diagnostic = finding.diagnostic
      let place = "\(diff.report.path(of: diagnostic.place)):\(diagnostic.place.start.line)"
      return "  \(VisibleText.of(place)): \(diagnostic.severity.rawValue): "
        + "\(VisibleText.of(diagnostic.message)) [\(diagnostic.code)]\n"
        + "    accepted until \(finding.until): \(VisibleText.of(finding.reason))\n"
    }
    return "suppressed (\(lines.count))\n" + lines.joined() + "\n"
  }

  private func section(of risk: ChangeRisk) -> String {
    let groups = diff.groups.filter { $0.risk == risk }
    guard !groups.isEmpty else { return "" }
    var text = risk.title + "\n"
    for group in groups.prefix(Self.most) {
      let subjects = ChangeGroup.list(group.subjects.map(VisibleText.of))
      let count = group.subjects.count > 4 ? " (\(group.subjects.count))" : ""
      text += "  \(group.title)\(subjects.isEmpty ? "" : " " + subjects)\(count)\n"
      var table = Table()
      for line in group.lines { table.add(VisibleText.of(line.field), VisibleText.of(line.text)) }
      text += table.text(indent: 4)
    }
    let more = groups.count - Self.most
    return text + (more > 0 ? "  and \(counted(more, "more change")), which '--format json' lists\n" : "")
  }
}

extension ChangeRisk {
  /// What heads the changes of this risk.
  var title: String {
    switch self {
    case .weakens: "protects less"
    case .mayBlock: "may keep clients out"
    case .none: "other changes"
    }
  }

  /// The name in formats for programs.
  var name: String {
    switch self {
    case .weakens: "weakens"
    case .mayBlock: "may-block"
    case .none: "none"
    }
  }
}
