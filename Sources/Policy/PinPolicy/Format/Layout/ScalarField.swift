import PinFormat

/// A field whose value is a scalar, and how that is written.
struct ScalarField {
  var name = ""
  var schema: FieldSchema?

  /// The scalar inside of brackets; nil where it takes several lines.
  func inFlow(_ node: YAMLTree.Node, of bytes: [UInt8]) -> [UInt8]? {
    guard let scalar = node.scalar, scalar.style != .block else { return nil }
    let source = bytes[node.range]
    if source.contains(UInt8(ascii: "\n")) {
      guard !scalar.text.utf8.contains(UInt8(ascii: "\n")) else { return nil }
      return Array(ScalarText.written(scalar.text, inFlow: true).utf8)
    }
    return written(scalar, source, inFlow: true)
  }

  /// The scalar on lines of its own, without their indentation.
  func lines(_ node: YAMLTree.Node, of bytes: [UInt8]) -> [[UInt8]] {
    let source = bytes[node.range]
    guard source.contains(UInt8(ascii: "\n")) else {
      return [node.scalar.map { written($0, source, inFlow: false) } ?? Array(source)]
    }
    return source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      var line = line.drop(while: EditedText.isSpace)
      while let last = line.last, EditedText.isSpace(last) { line.removeLast() }
      return Array(line)
    }
  }

  /// A scalar of one line: without quotes where it needs none.
  private func written(_ scalar: YAMLScalar, _ source: ArraySlice<UInt8>, inFlow: Bool) -> [UInt8] {
    let text = scalar.text
    guard scalar.style == .quoted else {
      // Quoted, because editors would read a version such as 1.2 as a number.
      return name == "minimum-tls" || name == "tls-version" ? Array(ScalarText.quoted(text).utf8) : Array(source)
    }
    let isDate = schema?.definition == "instant" && Instant(written: text) != nil
    let isMode = name == "mode" && Mode(rawValue: text) != nil
    if ScalarText.isPlain(text, inFlow: inFlow), isDate || isMode || !ScalarText.looksTyped(text) {
      return Array(text.utf8)
    }
    // Double quotes are preferred, unless the text contains quotes or backslashes.
    let isAwkward = text.utf8.contains(UInt8(ascii: "\"")) || text.utf8.contains(UInt8(ascii: "\\"))
    guard source.first == UInt8(ascii: "'"), !isAwkward else { return Array(source) }
    return Array(ScalarText.quoted(text).utf8)
  }
}
