/// Renders a report as JUnit XML, which build servers show as test results.
///
/// A file is a suite and a finding is a test case: a failure at or above the fail level, else passed with its text as
/// output; a suppressed finding is a skipped one. A file without findings is one passed test case. It keeps to the
/// schema of Jenkins' xUnit plugin (`junit-10.xsd`), the strictest reader that there is: no total of what was skipped.
package struct JUnitRenderer: Sendable {
  /// The least severity that counts as a failure.
  package var failLevel: Severity

  package init(failLevel: Severity = .error) {
    self.failLevel = failLevel
  }

  package func render(_ report: Report) -> String {
    let suites = suites(of: report)
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
    text += "<testsuites \(attribute("name", report.tool.name)) \(counts(suites))>\n"
    for suite in suites { write(suite, to: &text) }
    return text + "</testsuites>\n"
  }

  private func suites(of report: Report) -> [Suite] {
    var page = TextPage(report)
    var suites = report.sources.files.map { Suite(path: $0.path) }
    var numbers = Dictionary(suites.indices.map { (suites[$0].path, $0) }) { first, _ in first }
    func add(_ diagnostic: Diagnostic, _ outcome: Case.Outcome) {
      let path = report.path(of: diagnostic.place)
      if numbers[path] == nil { suites.append(Suite(path: path)) }
      let number = numbers[path] ?? suites.count - 1
      numbers[path] = number
      suites[number].cases.append(Case(diagnostic: diagnostic, outcome: outcome))
    }
    for diagnostic in report.diagnostics {
      let text = page.excerpt(of: diagnostic)
      add(diagnostic, diagnostic.severity >= failLevel ? .failed(text) : .passed(text))
    }
    for suppressed in report.suppressed {
      add(suppressed.diagnostic, .skipped("suppressed until \(suppressed.until): \(suppressed.reason)"))
    }
    return suites
  }

  private struct Suite {
    var path: String
    var cases: [Case] = []
  }

  private struct Case {
    enum Outcome {
      case failed(String)
      case passed(String)
      case skipped(String)
    }

    var diagnostic: Diagnostic
    var outcome: Outcome

    var isFailure: Bool { if case .failed = outcome { true } else { false } }
    var isSkipped: Bool { if case .skipped = outcome { true } else { false } }
  }

  private func counts(_ suites: [Suite]) -> String {
    let cases = suites.flatMap(\.cases)
    let tests = suites.reduce(0) { $0 + max(1, $1.cases.count) }
    return #"tests="\#(tests)" failures="\#(cases.count(where: \.isFailure))" errors="0""#
  }

  private func write(_ suite: Suite, to text: inout String) {
    let skipped = String(suite.cases.count(where: \.isSkipped))
    text += "  <testsuite \(attribute("name", suite.path)) \(counts([suite])) \(attribute("skipped", skipped))>\n"
    if suite.cases.isEmpty {
      text += "    <testcase \(attribute("classname", suite.path)) \(attribute("name", "no findings"))/>\n"
    }
    for item in suite.cases { write(item, in: suite.path, to: &text) }
    text += "  </testsuite>\n"
  }

  private func write(_ item: Case, in path: String, to text: inout String) {
    let region = item.diagnostic.place.region
    let name = "\(item.diagnostic.code) at \(region.startLine):\(region.startColumn): \(item.diagnostic.message)"
    text += "    <testcase \(attribute("classname", path)) \(attribute("name", name)) "
    text += "\(attribute("file", path)) \(attribute("line", String(region.startLine)))>\n"
    switch item.outcome {
    case .failed(let excerpt):
      text += "      <failure \(attribute("type", item.diagnostic.code)) "
      text += "\(attribute("message", item.diagnostic.message))>\(XML.escaped(excerpt))</failure>\n"
    case .passed(let excerpt):
      text += "      <system-out>\(XML.escaped(excerpt))</system-out>\n"
    case .skipped(let reason):
      text += "      <skipped \(attribute("message", reason))/>\n"
    }
    text += "    </testcase>\n"
  }

  private func attribute(_ name: String, _ value: String) -> String {
    "\(name)=\"\(XML.escaped(VisibleText.of(value)))\""
  }
}

/// What XML 1.0 wants written differently.
enum XML {
  /// Text for an element or a quoted attribute; characters that XML can't hold at all are spelled out.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE:
        result += escaped(VisibleText.spelled(scalar))
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
