/// A place's lines and columns as other formats want them: from 1, and the end never before the start.
struct Region {
  var startLine: Int
  var startColumn: Int
  var endLine: Int
  /// Behind the last character.
  var endColumn: Int
}

extension Place {
  var region: Region {
    let end = max(start, end)
    return Region(
      startLine: max(1, Int(start.line)), startColumn: max(1, Int(start.column)), endLine: max(1, Int(end.line)),
      endColumn: max(1, Int(end.column)))
  }
}
