/// Comma-separated values, for spreadsheets (RFC 4180).
package enum CommaSeparated {
  /// One line, with its end; a field is quoted only if it has to be, and one that a spreadsheet would compute gets `'` before
  /// it.
  package static func line(_ fields: [String]) -> String {
    fields.map { field in
      let isFormula = field.utf8.first.map { Array("=+-@\t\r".utf8).contains($0) } ?? false
      let field = isFormula ? "'" + field : field
      let isPlain = field.utf8.allSatisfy { !Array("\",\r\n".utf8).contains($0) }
      return isPlain
        ? field : "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }.joined(separator: ",") + "\r\n"
  }
}
