package import Diagnostics
package import PinRotation

/// A diff for people at a terminal: the verdict, the findings, then the changes, the risky first.
package struct DiffText {
  let diff: DiffReport
  /// The findings that are shown.
  let shown: Report
  let style: TextRenderer

  package init(diff: DiffReport, shown: Report, style: TextRenderer) {
    self.diff = diff
    self.shown = shown
    self.style = style
  }

  /// The whole output; if it is concise, a line for each finding with the verdict behind them, and no changes.
  package func text(isConcise: Bool) -> String {
    let headline = VisibleText.of(diff.headline(of: style.groups(of: diff.report))) + "\n"
    if isConcise { return ConciseRenderer(style).findings(shown) + (style.hasSummary ? headline : "") }
    guard style.hasSummary else { return style.findings(shown) }
    var text = headline
    for line in diff.circumstances { text += "  " + VisibleText.of(line) + "\n" }
    if !shown.diagnostics.isEmpty {
      text += "\n" + style.findings(shown)
    } else if !diff.report.suppressed.isEmpty || !diff.changes.isEmpty {
      text += "\n"
    }
    text += suppressed()
    return text + ChangeText(groups: diff.groups, check: diff.check, elsewhere: ", which '--format json' lists").text()
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
}

extension ChangeRisk {
  /// What heads the changes of this risk.
  func title(_ check: Check) -> String {
    switch self {
    case .weakens: "protects less"
    case .mayBlock: check.title
    case .none: "other changes"
    }
  }

  /// What is known of changes that may lock clients out.
  package enum Check {
    /// Nobody asked.
    case none
    case safe
    /// The same, but nobody said what servers present.
    case assumed
    /// The keys match; some of the certificates could not be tried.
    case onlyPins
    case unsafe

    fileprivate var title: String {
      switch self {
      case .none: "narrows (not checked here: 'pintle diff' says whether it locks anybody out)"
      case .safe: "narrows (checked: it locks nobody out)"
      case .assumed: "narrows (checked without evidence: nobody is locked out if servers present an active key)"
      case .onlyPins: "narrows (only the pins could be checked: they lock nobody out)"
      case .unsafe: "may lock clients out (the errors say whom)"
      }
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

/// Changes as people read them at a terminal, those of one risk under one head.
package struct ChangeText {
  let groups: [ChangeGroup]
  let check: ChangeRisk.Check
  /// Whether all changes are shown, with all their subjects; otherwise, the first of many.
  let isWhole: Bool
  /// Said of what is left out.
  var elsewhere: String

  /// The most changes that are reported for one risk; equal changes count once.
  private static let most = 50

  package init(
    groups: [ChangeGroup], check: ChangeRisk.Check = .none, isWhole: Bool = false, elsewhere: String = ""
  ) {
    self.groups = groups
    self.check = check
    self.isWhole = isWhole
    self.elsewhere = elsewhere
  }

  /// The subjects of a change that has many, none of them left out.
  package static func lines(of group: ChangeGroup) -> [String] {
    FoldedNames.lines(group.subjects.map(VisibleText.of), width: 100)
  }

  /// All sections, those that protect less first; empty where nothing changes.
  package func text() -> String {
    ChangeRisk.allCases.reversed().map(section).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func section(of risk: ChangeRisk) -> String {
    let groups = groups.filter { $0.risk == risk }
    guard !groups.isEmpty else { return "" }
    var text = risk.title(check) + "\n"
    for group in isWhole ? groups : Array(groups.prefix(Self.most)) {
      var table = Table()
      for line in group.lines { table.add(VisibleText.of(line.field), VisibleText.of(line.text)) }
      let isMany = group.subjects.count > 4
      if isMany, isWhole {
        text += "  \(group.title) \(group.subjects.count) entries\n"
        for (number, line) in Self.lines(of: group).enumerated() { table.add(number == 0 ? "entries" : "", line) }
      } else {
        let subjects = ChangeGroup.list(group.subjects.map(VisibleText.of))
        let count = isMany ? " (\(group.subjects.count))" : ""
        text += "  \(group.title)\(subjects.isEmpty ? "" : " " + subjects)\(count)\n"
      }
      text += table.text(indent: 4)
    }
    let more = isWhole ? 0 : groups.count - Self.most
    return text + (more > 0 ? "  and \(counted(more, "more change"))\(elsewhere)\n" : "")
  }
}
