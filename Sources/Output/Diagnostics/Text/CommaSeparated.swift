/// Comma-separated values, for spreadsheets (RFC 4180).
package enum CommaSeparated {
  /// One line, with its end; a field is quoted only if it has to be.
  package static func line(_ fields: [String]) -> String {
    fields.map { field in
      let isPlain = field.utf8.allSatisfy { !Array("\",\r\n".utf8).contains($0) }
      return isPlain
        ? field : "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }.joined(separator: ",") + "\r\n"
  }
}
