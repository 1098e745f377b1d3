/// Renders a report as SARIF 2.1.0, the format in which code-scanning services take findings.
///
/// Findings that are suppressed are results too, with their suppression.
package struct SARIFRenderer: Sendable {
  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// The most results that are written; code scanning refuses a file with more.
  package var limit: Int

  package init(limit: Int = 25_000) {
    self.limit = limit
  }

  package func render(_ report: Report) -> String {
    let numbers = Dictionary(report.rules.enumerated().map { ($1.code, $0) }) { first, _ in first }
    return JSONWriter.text { writer in
      writer.member("$schema", Self.schema)
      writer.member("version", "2.1.0")
      writer.array("runs") { writer in
        writer.object { writer in
          addTool(of: report, to: &writer)
          writer.member("columnKind", "unicodeCodePoints")
          writer.objects("artifacts", report.sources.files) { file, writer in
            writer.object("location") { $0.member("uri", FileAddress.of(file.path)) }
          }
          addResults(of: report, numbers, to: &writer)
          addRemarks(of: report, to: &writer)
          writer.object("properties") { $0.member("at", report.instant) }
        }
      }
    }
  }

  /// The findings, and those that are suppressed as far as there is room.
  private func addResults(of report: Report, _ numbers: [String: Int], to writer: inout JSONWriter) {
    var fingerprints = Fingerprints(report)
    writer.array("results") { writer in
      for diagnostic in shown(report) {
        add(diagnostic, numbers, fingerprints.next(diagnostic), of: report, to: &writer)
      }
      for suppressed in report.suppressed.prefix(max(0, limit - report.diagnostics.count)) {
        let fingerprint = fingerprints.next(suppressed.diagnostic)
        add(suppressed.diagnostic, numbers, fingerprint, suppressed: suppressed, of: report, to: &writer)
      }
    }
  }

  /// The findings in their order; where they are too many, the gravest of them.
  private func shown(_ report: Report) -> [Diagnostic] {
    guard report.diagnostics.count > limit else { return report.diagnostics }
    let byGravity = Severity.allCases.reversed().flatMap { severity in
      report.diagnostics.indices.filter { report.diagnostics[$0].severity == severity }
    }
    return byGravity.prefix(limit).sorted().map { report.diagnostics[$0] }
  }

  private func addRemarks(of report: Report, to writer: inout JSONWriter) {
    let left = report.diagnostics.count + report.suppressed.count - limit
    let remarks = report.remarks + (left > 0 ? ["\(counted(left, "more finding")) not listed here"] : [])
    guard !remarks.isEmpty else { return }
    writer.array("invocations") { writer in
      writer.object { writer in
        writer.member("executionSuccessful", true)
        writer.objects("toolExecutionNotifications", remarks) { remark, writer in
          writer.member("level", "note")
          addMessage(remark, to: &writer)
        }
      }
    }
  }

  private func addTool(of report: Report, to writer: inout JSONWriter) {
    writer.object("tool") { writer in
      writer.object("driver") { writer in
        writer.member("name", report.tool.name)
        writer.member("version", report.tool.version)
        writer.member("informationUri", report.tool.reference)
        writer.objects("rules", report.rules) { add($0, of: report, to: &$1) }
      }
    }
  }

  private func add(_ rule: RuleInfo, of report: Report, to writer: inout JSONWriter) {
    let citation = Citation.text(rule.citation, in: report.tool.reference)
    let source = citation.isEmpty ? "" : "\n\nSource: \(citation)"
    writer.member("id", rule.code)
    writer.member("name", rule.name)
    writer.object("shortDescription") { $0.member("text", rule.title) }
    writer.object("fullDescription") { $0.member("text", rule.rationale.isEmpty ? rule.title : rule.rationale) }
    writer.object("defaultConfiguration") { $0.member("level", rule.severity) }
    writer.member("helpUri", rule.address(in: report.tool.reference))
    writer.object("help") { writer in
      writer.member("text", "\(rule.title)\n\n\(rule.rationale)\(source)")
      writer.member("markdown", "**\(rule.title)**\n\n\(rule.rationale)\(source)")
    }
  }

  private func add(
    _ diagnostic: Diagnostic, _ numbers: [String: Int], _ fingerprint: String, suppressed: Report.Suppressed? = nil,
    of report: Report, to writer: inout JSONWriter
  ) {
    let parts = [diagnostic.message, WitnessText.labelled(diagnostic) ?? "", diagnostic.help]
    let message = parts.filter { !$0.isEmpty }.joined(separator: "\n")
    writer.object { writer in
      writer.member("ruleId", diagnostic.code)
      writer.member("ruleIndex", numbers[diagnostic.code])
      writer.member("level", diagnostic.severity)
      // Code scanning rejects an empty message.
      addMessage(message.isEmpty ? diagnostic.code : message, to: &writer)
      writer.array("locations") { writer in
        writer.object { add(diagnostic.place, of: report, to: &$0) }
      }
      if !diagnostic.related.isEmpty {
        writer.objects("relatedLocations", diagnostic.related.enumerated()) { item, writer in
          writer.member("id", item.offset)
          addMessage(item.element.message, to: &writer)
          add(item.element.place, of: report, to: &writer)
        }
      }
      // Our own name, because code scanning adds its own fingerprint.
      writer.object("partialFingerprints") { $0.member("pintle/v1", fingerprint) }
      add(diagnostic.fixes, of: report, to: &writer)
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
  private func addMessage(_ message: String, named name: String = "message", to writer: inout JSONWriter) {
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
    writer.object(name) { $0.member("text", text) }
  }

  private func add(_ place: Place, of report: Report, to writer: inout JSONWriter) {
    writer.object("physicalLocation") { writer in
      addFile(of: place, in: report, to: &writer)
      addRegion(place, "region", to: &writer)
    }
  }

  private func addFile(of place: Place, in report: Report, to writer: inout JSONWriter) {
    writer.object("artifactLocation") { writer in
      writer.member("uri", FileAddress.of(report.path(of: place)))
      let number = Int(place.file.index)
      if number < report.sources.files.count { writer.member("index", number) }
    }
  }

  private func addRegion(_ place: Place, _ name: String, to writer: inout JSONWriter) {
    let region = place.region
    writer.object(name) { writer in
      writer.member("startLine", region.startLine)
      writer.member("startColumn", region.startColumn)
      writer.member("endLine", region.endLine)
      writer.member("endColumn", region.endColumn)
    }
  }

  /// What repairs the finding: a change for each file, a replacement for each edit (SARIF 2.1.0, 3.55 to 3.57).
  private func add(_ fixes: [Fix], of report: Report, to writer: inout JSONWriter) {
    let useful = fixes.filter { !$0.edits.isEmpty }
    guard !useful.isEmpty else { return }
    writer.objects("fixes", useful) { fix, writer in
      addMessage(fix.title, named: "description", to: &writer)
      let changes = Dictionary(grouping: fix.edits, by: \.place.file).sorted { $0.key < $1.key }
      writer.objects("artifactChanges", changes) { addChange($0.value, of: report, to: &$1) }
      writer.object("properties") { $0.member("safety", fix.safety) }
    }
  }

  /// The edits of one file; an empty region is where to insert.
  private func addChange(_ edits: [Fix.Edit], of report: Report, to writer: inout JSONWriter) {
    if let first = edits.first { addFile(of: first.place, in: report, to: &writer) }
    writer.objects("replacements", edits) { edit, writer in
      addRegion(edit.place, "deletedRegion", to: &writer)
      if !edit.text.isEmpty { writer.object("insertedContent") { $0.member("text", edit.text) } }
    }
  }
}

/// Paths as URI references.
enum FileAddress {
  /// A path, percent-encoded: relative as it was, or `file:///…` where it is absolute.
  static func of(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var address: [UInt8] = path.hasPrefix("/") ? Array("file://".utf8) : []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        address.append(byte)
      default:
        address += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: address, as: UTF8.self)
  }
}
