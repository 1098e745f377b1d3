import Diagnostics
import PinRotation
import PinRules

/// Changes as people read them at a terminal, those of one risk under one head.
struct ChangeText {
  let groups: [ChangeGroup]
  /// The most changes that are reported for one risk, and subjects of one change; equal changes count once.
  var most = (groups: 50, subjects: 4)
  /// Said of what is left out.
  var elsewhere = ""

  /// All sections, those that protect less first; empty where nothing changes.
  func text() -> String {
    ChangeRisk.allCases.reversed().map(section).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func section(of risk: ChangeRisk) -> String {
    let groups = groups.filter { $0.risk == risk }
    guard !groups.isEmpty else { return "" }
    var text = risk.title + "\n"
    for group in groups.prefix(most.groups) {
      let subjects = ChangeGroup.list(group.subjects.map(VisibleText.of), most: most.subjects)
      let count = group.subjects.count > 4 ? " (\(group.subjects.count))" : ""
      text += "  \(group.title)\(subjects.isEmpty ? "" : " " + subjects)\(count)\n"
      var table = Table()
      for line in group.lines { table.add(VisibleText.of(line.field), VisibleText.of(line.text)) }
      text += table.text(indent: 4)
    }
    let more = groups.count - most.groups
    return text + (more > 0 ? "  and \(counted(more, "more change"))\(elsewhere)\n" : "")
  }
}
