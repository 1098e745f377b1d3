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

  package func render(_ report: Report) -> String { JUnitPage(name: report.tool.name, suites: suites(of: report)).text }

  private func suites(of report: Report) -> [JUnitPage.Suite] {
    var page = TextPage(report)
    var suites = report.sources.files.map { JUnitPage.Suite(path: $0.path) }
    var numbers = Dictionary(suites.indices.map { (suites[$0].path, $0) }) { first, _ in first }
    func add(_ diagnostic: Diagnostic, _ outcome: JUnitPage.Case.Outcome) {
      let path = report.path(of: diagnostic.place)
      if numbers[path] == nil { suites.append(JUnitPage.Suite(path: path)) }
      let number = numbers[path] ?? suites.count - 1
      numbers[path] = number
      suites[number].cases.append(JUnitPage.Case(diagnostic, outcome))
    }
    for diagnostic in report.diagnostics {
      let text = page.excerpt(of: diagnostic)
      add(
        diagnostic,
        diagnostic.severity >= failLevel
          ? .failed(code: diagnostic.code, message: diagnostic.message, text) : .passed(text))
    }
    for suppressed in report.suppressed {
      add(suppressed.diagnostic, .skipped("suppressed until \(suppressed.until): \(suppressed.reason)"))
    }
    return suites
  }
}

/// A page of JUnit XML.
package struct JUnitPage {
  /// A file, and what it is tested for.
  package struct Suite {
    package var path: String
    package var cases: [Case] = []

    package init(path: String) {
      self.path = path
    }
  }

  package struct Case {
    package enum Outcome {
      case failed(code: String, message: String, String)
      /// It couldn't be run.
      case broken(code: String, message: String, String)
      /// With what there is to say nevertheless.
      case passed(String?)
      case skipped(String)
    }

    var name: String
    /// From 1.
    var line: Int
    var outcome: Outcome

    package init(name: String, at place: Place, _ outcome: Outcome) {
      (self.name, line, self.outcome) = (name, place.region.startLine, outcome)
    }

    /// A finding.
    package init(_ diagnostic: Diagnostic, _ outcome: Outcome) {
      let region = diagnostic.place.region
      self.init(
        name: "\(diagnostic.code) at \(region.startLine):\(region.startColumn): \(diagnostic.message)",
        at: diagnostic.place, outcome)
    }

    var isFailure: Bool { if case .failed = outcome { true } else { false } }
    var isError: Bool { if case .broken = outcome { true } else { false } }
    var isSkipped: Bool { if case .skipped = outcome { true } else { false } }
  }

  private let name: String
  private let suites: [Suite]

  package init(name: String, suites: [Suite]) {
    (self.name, self.suites) = (name, suites)
  }

  package var text: String {
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
    text += "<testsuites \(attribute("name", name)) \(counts(suites))>\n"
    for suite in suites { write(suite, to: &text) }
    return text + "</testsuites>\n"
  }

  private func counts(_ suites: [Suite]) -> String {
    let cases = suites.flatMap(\.cases)
    let tests = suites.reduce(0) { $0 + max(1, $1.cases.count) }
    let (failures, errors) = (cases.count(where: \.isFailure), cases.count(where: \.isError))
    return #"tests="\#(tests)" failures="\#(failures)" errors="\#(errors)""#
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
    text += "    <testcase \(attribute("classname", path)) \(attribute("name", item.name)) "
    text += "\(attribute("file", path)) \(attribute("line", String(item.line)))"
    switch item.outcome {
    case .failed(let code, let message, let excerpt), .broken(let code, let message, let excerpt):
      let element = item.isError ? "error" : "failure"
      text += ">\n      <\(element) \(attribute("type", code)) "
      text += "\(attribute("message", message))>\(XML.escaped(excerpt))</\(element)>\n"
    case .passed(let excerpt?): text += ">\n      <system-out>\(XML.escaped(excerpt))</system-out>\n"
    case .passed(nil):
      text += "/>\n"
      return
    case .skipped(let reason): text += ">\n      <skipped \(attribute("message", reason))/>\n"
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
