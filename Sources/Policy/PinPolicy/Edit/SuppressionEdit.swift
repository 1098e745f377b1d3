import Diagnostics

extension PolicyEdit {
  /// Puts suppressions at the end of lines.
  ///
  /// A suppression that is there is replaced. Any other comment goes to a line of its own above.
  ///
  /// - Parameters:
  ///   - comments: With their `#`, by the number of the line.
  ///   - bytes: A policy file.
  /// - Returns: The file with them.
  /// - Throws: ``PolicyEditError`` where a line has no room for a comment.
  package static func put(_ comments: [Int: String], in bytes: [UInt8]) throws(PolicyEditError) -> [UInt8] {
    var text = try EditedText(bytes)
    for (line, comment) in comments {
      let start = text.tree.lines.offset(of: Position(line: line, column: 1))
      let end = text.lineEnd(start)
      let present = text.comments(in: start..<end).first ?? end..<end
      let code = bytes[start..<present.lowerBound].lastIndex { !EditedText.isBlank($0) }.map { $0 + 1 } ?? start
      let indentation = bytes[start..<code].prefix(while: EditedText.isBlank)
      let kept = withoutSuppression(bytes[present])
      if !kept.isEmpty { text.insert(indentation + kept + text.lineBreak(near: start), at: start) }
      text.replace(code..<end, with: Array((" " + comment).utf8))
    }
    let after = text.result()
    guard PlainValue(try YAMLTree(after).root) == PlainValue(text.tree.root) else { throw .unfaithful }
    return after
  }

  /// What a comment says before the suppression at its end.
  private static func withoutSuppression(_ comment: ArraySlice<UInt8>) -> [UInt8] {
    let comment = Array(comment)
    guard let last = SuppressionComment.find(in: comment, file: FileID(0), firstLineShift: 0).first,
      (try? last.read()) != nil
    else { return comment }
    let kept = comment.dropLast(last.text.utf8.count)
    return Array(kept[...(kept.lastIndex { !EditedText.isBlank($0) && $0 != UInt8(ascii: "#") } ?? -1)])
  }

  /// Whether a text says why a key is denied; `denied: no` would say that it isn't.
  package static func isDenial(_ reason: String) -> Bool {
    Scalar.denial.value(of: Array(reason.utf8).span, .quoted) != nil
  }
}
