/// Renders a report as JSON for programs, in a shape that keeps its promises.
///
///     {
///       "format": "pintle-findings",
///       "version": 1,
///       "tool": {"name": …, "version": …},
///       "at": the instant that counted as now, RFC 3339,
///       "summary": {"errors": n, "warnings": n, "notes": n, "suppressed": n, "files": n},
///       "findings": [finding, …],
///       "suppressed": [{"finding": finding, "reason": …, "until": instant}, …],
///       "remarks"?: [further lines, such as what couldn't be asked, …],
///       "search"?: {"files": n, "otherNames": n, "passedOver": [{"file", "reason"}, …]}
///     }
///
/// A finding is `{"code", "name"?, "severity", "message", "place", "related": [{"message", "place"}, …], "witness"?,
/// "help", "source", "url"?, "fixes"?: [fix, …]}`; a place is `{"path", "start": {"line", "column"}, "end": {"line", "column"}}`,
/// from 1, columns in Unicode code points, the end exclusive. A witness is `{"client", "serial"?, "released", "kind"?,
/// "host", "instant", "until"?, "place"?, "chain": [{"position", "pin"?, "name"?}, …], "outcome": "blocked" or
/// "admitted", "reason"}`. A fix is `{"title", "safety": "safe" or "suggested", "edits": [{"place", "text"}, …]}`: its
/// edits are made together, none of them meet, and where a place is empty its text is put in.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`. Every member is
/// present, but `remarks` only where there are any, `search` only where other files than the policy's are read, `name`
/// only where the rule is known, `url` (the rule's page) only where the documentation has an address, and `fixes` and those
/// of a witness only where there is something to say.
package struct JSONRenderer: Sendable {
  package init() {}

  package func render(_ report: Report) -> String {
    JSONWriter.document("pintle-findings", by: report.tool) { writer in
      writer.member("at", report.instant)
      writer.object("summary") { writer in
        writer.counts(of: report)
        writer.member("files", report.sources.files.count)
      }
      addFindings(of: report, to: &writer)
      if !report.remarks.isEmpty { writer.array("remarks", report.remarks) }
      if let search = report.search { writer.member(search) }
    }
  }

  /// Adds the members `findings` and `suppressed` to an object.
  package func addFindings(of report: Report, to writer: inout JSONWriter) {
    let names = Dictionary(report.rules.map { ($0.code, $0.name) }) { first, _ in first }
    writer.objects("findings", report.diagnostics) { add($0, of: report, names, to: &$1) }
    writer.objects("suppressed", report.suppressed) { suppressed, writer in
      writer.object("finding") { add(suppressed.diagnostic, of: report, names, to: &$0) }
      writer.member("reason", suppressed.reason)
      writer.member("until", suppressed.until)
    }
  }

  private func add(
    _ diagnostic: Diagnostic, of report: Report, _ names: [String: String], to writer: inout JSONWriter
  ) {
    writer.member("code", diagnostic.code)
    writer.member("name", names[diagnostic.code])
    writer.member("severity", diagnostic.severity)
    writer.member("message", diagnostic.message)
    add(diagnostic.place, of: report, to: &writer)
    writer.objects("related", diagnostic.related) { related, writer in
      writer.member("message", related.message)
      add(related.place, of: report, to: &writer)
    }
    if let witness = diagnostic.witness { writer.member(witness) }
    writer.member("help", diagnostic.help)
    writer.member("source", diagnostic.citation)
    writer.member("url", Citation.page(of: diagnostic.code, in: report.tool.reference))
    if !diagnostic.fixes.isEmpty { writer.objects("fixes", diagnostic.fixes) { add($0, of: report, to: &$1) } }
  }

  private func add(_ fix: Fix, of report: Report, to writer: inout JSONWriter) {
    writer.member("title", fix.title)
    writer.member("safety", fix.safety)
    writer.objects("edits", fix.edits) { edit, writer in
      add(edit.place, of: report, to: &writer)
      writer.member("text", edit.text)
    }
  }

  private func add(_ place: Place, of report: Report, to writer: inout JSONWriter) {
    let region = place.region
    writer.object("place") { writer in
      writer.member("path", report.path(of: place))
      writer.object("start") { writer in
        writer.member("line", region.startLine)
        writer.member("column", region.startColumn)
      }
      writer.object("end") { writer in
        writer.member("line", region.endLine)
        writer.member("column", region.endColumn)
      }
    }
  }
}

extension JSONWriter {
  /// How many findings there are of each severity, and how many are suppressed.
  package mutating func counts(of report: Report) {
    member("errors", report.count(of: .error))
    member("warnings", report.count(of: .warning))
    member("notes", report.count(of: .note))
    member("suppressed", report.suppressed.count)
  }
}
