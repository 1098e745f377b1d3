/// Renders a report as SARIF 2.1.0, the format in which code-scanning services take findings.
///
/// Findings that are suppressed are results too, with their suppression.
package struct SARIFRenderer: Sendable {
  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  package init() {}

  package func render(_ report: Report) -> String {
    let numbers = Dictionary(report.rules.enumerated().map { ($1.code, $0) }) { first, _ in first }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("$schema", Self.schema)
      writer.member("version", "2.1.0")
      writer.array("runs") { writer in
        writer.object { writer in
          addTool(of: report, to: &writer)
          writer.member("columnKind", "unicodeCodePoints")
          writer.array("artifacts") { writer in
            for file in report.sources.files {
              writer.object { $0.object("location") { $0.member("uri", FileAddress.of(file.path)) } }
            }
          }
          writer.array("results") { writer in
            for diagnostic in report.diagnostics { add(diagnostic, numbers, of: report, to: &writer) }
            for suppressed in report.suppressed {
              add(suppressed.diagnostic, numbers, suppressed: suppressed, of: report, to: &writer)
            }
          }
          addRemarks(of: report, to: &writer)
          writer.object("properties") { $0.member("at", report.instant) }
        }
      }
    }
    return writer.text + "\n"
  }

  private func addRemarks(of report: Report, to writer: inout JSONWriter) {
    guard !report.remarks.isEmpty else { return }
    writer.array("invocations") { writer in
      writer.object { writer in
        writer.member("executionSuccessful", true)
        writer.array("toolExecutionNotifications") { writer in
          for remark in report.remarks {
            writer.object { writer in
              writer.member("level", "note")
              addMessage(remark, to: &writer)
            }
          }
        }
      }
    }
  }

  private func addTool(of report: Report, to writer: inout JSONWriter) {
    writer.object("tool") { writer in
      writer.object("driver") { writer in
        writer.member("name", report.tool.name)
        writer.member("version", report.tool.version)
        if let reference = report.tool.reference { writer.member("informationUri", reference) }
        writer.array("rules") { writer in
          for rule in report.rules { add(rule, of: report, to: &writer) }
        }
      }
    }
  }

  private func add(_ rule: RuleInfo, of report: Report, to writer: inout JSONWriter) {
    let source = rule.citation.isEmpty ? "" : "\n\nSource: \(rule.citation)"
    writer.object { writer in
      writer.member("id", rule.code)
      writer.member("name", rule.name)
      writer.object("shortDescription") { $0.member("text", rule.title) }
      writer.object("fullDescription") { $0.member("text", rule.rationale.isEmpty ? rule.title : rule.rationale) }
      writer.object("defaultConfiguration") { $0.member("level", rule.severity.rawValue) }
      if let address = rule.address(in: report.tool.reference) { writer.member("helpUri", address) }
      writer.object("help") { writer in
        writer.member("text", "\(rule.title)\n\n\(rule.rationale)\(source)")
        writer.member("markdown", "**\(rule.title)**\n\n\(rule.rationale)\(source)")
      }
    }
  }

  private func add(
    _ diagnostic: Diagnostic, _ numbers: [String: Int], suppressed: Report.Suppressed? = nil, of report: Report,
    to writer: inout JSONWriter
  ) {
    let parts = [diagnostic.message, WitnessText.labelled(diagnostic) ?? "", diagnostic.help]
    let message = parts.filter { !$0.isEmpty }.joined(separator: "\n")
    writer.object { writer in
      writer.member("ruleId", diagnostic.code)
      if let number = numbers[diagnostic.code] { writer.member("ruleIndex", number) }
      writer.member("level", diagnostic.severity.rawValue)
      addMessage(message, to: &writer)
      writer.array("locations") { writer in
        writer.object { add(diagnostic.place, of: report, to: &$0) }
      }
      if !diagnostic.related.isEmpty {
        writer.array("relatedLocations") { writer in
          for (number, related) in diagnostic.related.enumerated() {
            writer.object { writer in
              writer.member("id", number)
              addMessage(related.message, to: &writer)
              add(related.place, of: report, to: &writer)
            }
          }
        }
      }
      if let suppressed {
        writer.array("suppressions") { writer in
          writer.object { writer in
            writer.member("kind", "inSource")
            writer.member("status", "accepted")
            writer.member("justification", suppressed.reason)
            writer.object("properties") { $0.member("until", suppressed.until) }
          }
        }
      }
      if let witness = diagnostic.witness { writer.object("properties") { $0.member(witness) } }
    }
  }

  /// A message's text, in which braces would make a placeholder, and brackets before a parenthesis a link.
  private func addMessage(_ message: String, to writer: inout JSONWriter) {
    let mayLink = message.contains("](")
    var text = ""
    for scalar in message.unicodeScalars {
      switch scalar {
      case "{", "}": text.unicodeScalars.append(scalar)
      case "[" where mayLink, "]" where mayLink: text += "\\"
      default: break
      }
      text.unicodeScalars.append(scalar)
    }
    writer.object("message") { $0.member("text", text) }
  }

  private func add(_ place: Place, of report: Report, to writer: inout JSONWriter) {
    let region = place.region
    writer.object("physicalLocation") { writer in
      writer.object("artifactLocation") { writer in
        writer.member("uri", FileAddress.of(report.path(of: place)))
        let number = Int(place.file.index)
        if number < report.sources.files.count { writer.member("index", number) }
      }
      writer.object("region") { writer in
        writer.member("startLine", region.startLine)
        writer.member("startColumn", region.startColumn)
        writer.member("endLine", region.endLine)
        writer.member("endColumn", region.endColumn)
      }
    }
  }
}
