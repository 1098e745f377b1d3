import Diagnostics

extension Markup {
  /// The findings that speak of no host.
  mutating func policyFindings(_ model: ProbeModel) {
    if !model.otherFindings.isEmpty {
      element(.section, .id(.policyFindings)) { markup in
        markup.element(.h2, text: "Findings about the policy")
        markup.findings(model.otherFindings, model)
      }
    }
  }

  /// The findings that somebody has accepted.
  mutating func acceptedFindings(_ model: ProbeModel) {
    guard !model.report.suppressed.isEmpty else { return }
    element(.section, .id(.accepted)) { markup in
      markup.element(.h2, text: "Accepted for now")
      markup.element(.ul, .kind("findings")) { markup in
        for accepted in model.report.suppressed { markup.accepted(accepted, model) }
      }
    }
  }

  /// Findings, each with what to do.
  mutating func findings(_ numbers: [Int], _ model: ProbeModel) {
    element(.ul, .kind("findings")) { markup in
      let ordered = numbers.sorted {
        let (left, right) = (model.report.diagnostics[$0].severity, model.report.diagnostics[$1].severity)
        return left == right ? $0 < $1 : left > right
      }
      for number in ordered {
        let finding = model.report.diagnostics[number]
        markup.element(.li, .id(.finding(number + 1)), .kind(finding.severity.standing.kind)) { markup in
          markup.element(.p) { markup in
            markup.badge(finding.severity.standing, finding.severity.rawValue)
            markup.text(" ")
            markup.code(finding.code, model)
            markup.prose(" " + finding.message)
          }
          for line in finding.help.split(separator: "\n") where !line.isEmpty {
            markup.element(.p, .kind("help")) { markup in
              // Indented lines are meant to be copied into a policy.
              if line.first == " " {
                markup.element(.code, text: String(line))
              } else {
                markup.prose(String(line))
              }
            }
          }
          markup.element(.p, .kind("where")) { $0.place(of: finding, model) }
        }
      }
    }
  }

  private mutating func accepted(_ accepted: Report.Suppressed, _ model: ProbeModel) {
    element(.li, .kind("calm")) { markup in
      markup.element(.p) { markup in
        markup.badge(.nothing, "accepted")
        markup.text(" ")
        markup.code(accepted.diagnostic.code, model)
        markup.prose(" " + accepted.diagnostic.message)
      }
      markup.element(.p, .kind("help"), text: "Until \(accepted.until): \(accepted.reason)")
      markup.element(.p, .kind("where")) { $0.place(of: accepted.diagnostic, model) }
    }
  }

  /// Text in which what is between backticks is code.
  private mutating func prose(_ text: String) {
    let parts = ShownText.of(text).split(separator: "`", omittingEmptySubsequences: false)
    // An odd number of backticks isn't code.
    guard parts.count % 2 == 1 else { return self.text(text) }
    for (number, part) in parts.enumerated() {
      if number % 2 == 1 { element(.code, text: String(part)) } else { self.text(String(part)) }
    }
  }

  private mutating func code(_ code: String, _ model: ProbeModel) {
    if let address = model.reference(code).flatMap({ Attribute.link(toPage: $0) }) {
      element(.a, .kind("code"), address, text: code)
    } else {
      element(.span, .kind("code"), text: code)
    }
  }

  private mutating func place(of finding: Diagnostic, _ model: ProbeModel) {
    let start = finding.place.start
    element(.code, text: "\(model.report.path(of: finding.place)):\(start.line):\(start.column)")
  }
}

extension Severity {
  /// The colour and sign of a finding.
  var standing: Standing {
    switch self {
    case .error: .fails
    case .warning: .caution
    case .note: .nothing
    }
  }
}
