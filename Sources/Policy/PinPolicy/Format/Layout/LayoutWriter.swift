/// Writes values in the one layout that policies have.
///
/// Two spaces a level, the dashes of a list among them; one space behind a colon and inside of braces. What is in
/// brackets or braces stays there on one line, unless it holds comments or its line would get longer than 120 columns:
/// then it is written in lines of its own.
struct LayoutWriter {
  static let width = 120

  private(set) var output: [UInt8] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  // MARK: Lines

  mutating func add(_ comments: [LaidOut.Comment], indent: Int) {
    for comment in comments {
      addGap(comment.isApart)
      addLine(indent, comment.text)
    }
  }

  mutating func addLine(_ indent: Int, _ text: some Sequence<UInt8>) {
    output += blank(indent)
    output += text
    output.append(UInt8(ascii: "\n"))
  }

  /// An empty line, of which there is never a second one, and none at the beginning.
  mutating func addGap(_ isWanted: Bool) {
    let feed = UInt8(ascii: "\n")
    guard isWanted, !output.isEmpty, output.suffix(2) != [feed, feed] else { return }
    output.append(feed)
  }

  private func blank(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: count) }

  private func joined(_ comments: [[UInt8]]) -> [UInt8] { comments.flatMap { Array(" ".utf8) + $0 } }

  /// A value as it is in the source.
  func bytesOf(_ node: YAMLTree.Node) -> ArraySlice<UInt8> { bytes[node.range] }

  // MARK: Values

  /// Writes the parts of a list or mapping in lines.
  ///
  /// - Parameters:
  ///   - collection: The parts.
  ///   - indent: The column of names or dashes.
  ///   - lead: What is on the first part's line before it, such as the dash of a list around it.
  ///   - schema: What is known of the collection.
  mutating func add(_ collection: LaidOut.Collection, indent: Int, lead: [UInt8] = [], schema: FieldSchema?) {
    let parts = collection.ordered(as: schema)
    for (number, part) in parts.enumerated() {
      let isFirst = number == 0
      if !isFirst || lead.isEmpty {
        // No empty line before the first part, because nothing of its collection is above it.
        let above = isFirst ? part.above.withoutGap : part.above
        add(above, indent: indent)
        addGap(part.isApart && !(isFirst && part.above.isEmpty))
      }
      let start = isFirst && !lead.isEmpty ? lead : blank(indent)
      if part.name != nil {
        addField(part, indent: indent, start: start, schema: schema)
      } else {
        addItem(part, indent: indent, start: start, schema: schema?.item)
      }
    }
    add(collection.below, indent: indent)
  }

  private mutating func addField(_ part: LaidOut.Part, indent: Int, start: [UInt8], schema: FieldSchema?) {
    let name = part.name?.scalar?.text ?? ""
    let head = start + Array(ScalarText.written(name, inFlow: false).utf8) + Array(":".utf8)
    let inner = schema?.field(name)
    let field = ScalarField(name: name, schema: inner)
    switch part.value {
    case .scalar(let node, let column):
      addScalar(node, head: head, field, indent: indent, column: column, comments: part.behind)
    case .collection(let collection):
      if let line = line(collection, behind: head, part, schema: inner) {
        return addLine(0, head + Array(" ".utf8) + line + joined(part.behindName + part.behind))
      }
      addLine(0, head + joined(part.behindName + part.behind))
      add(collection, indent: indent + 2, schema: inner)
    }
  }

  private mutating func addItem(_ part: LaidOut.Part, indent: Int, start: [UInt8], schema: FieldSchema?) {
    let head = start + Array("-".utf8)
    switch part.value {
    case .scalar(let node, let column):
      addScalar(node, head: head, ScalarField(), indent: indent, column: column, comments: part.behind)
    case .collection(let collection):
      if let line = line(collection, behind: head, part, schema: schema) {
        return addLine(0, head + Array(" ".utf8) + line + joined(part.behindName + part.behind))
      }
      // Comments of the first part and of the removed brackets go above the dash.
      var inner = collection
      let hoisted = (part.behindName + part.behind).map { LaidOut.Comment(text: $0, isApart: false) }
      inner.parts = collection.ordered(as: schema)
      let above = inner.parts.first?.above ?? []
      if !(hoisted + above).isEmpty {
        inner.parts[0].above = []
        hoist(hoisted + above.withoutGap, indent: indent, start: start)
      }
      add(inner, indent: indent + 2, lead: head + Array(" ".utf8), schema: schema)
    }
  }

  private mutating func hoist(_ comments: [LaidOut.Comment], indent: Int, start: [UInt8]) {
    add(comments, indent: start.prefix { $0 == UInt8(ascii: " ") }.count)
  }

  /// A collection on one line, where it is in brackets and fits.
  func line(
    _ collection: LaidOut.Collection, behind head: [UInt8], _ part: LaidOut.Part, schema: FieldSchema?
  ) -> [UInt8]? {
    guard collection.isFlow, !collection.hasComments, part.behindName.isEmpty || collection.parts.isEmpty else {
      return nil
    }
    guard let line = inFlow(.collection(collection), schema: schema, ScalarField()) else { return nil }
    if collection.parts.isEmpty || part.behind.contains(where: Self.isSuppression) { return line }
    return columns(head) + 1 + columns(line) <= Self.width ? line : nil
  }

  /// A suppression speaks of its line, so that the line must stay one.
  static func isSuppression(_ comment: [UInt8]) -> Bool {
    let words = comment.drop { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: " ") }
    return words.starts(with: Array("pintle:".utf8))
  }

  private func columns(_ text: [UInt8]) -> Int { text.count { $0 & 0xC0 != 0x80 } }

  /// A value as it is inside of brackets; nil where it can't stand on one line.
  private func inFlow(_ value: LaidOut.Value, schema: FieldSchema?, _ field: ScalarField) -> [UInt8]? {
    switch value {
    case .scalar(let node, _): return field.inFlow(node, of: bytes)
    case .collection(let collection):
      var parts: [[UInt8]] = []
      for part in collection.ordered(as: schema) {
        let name = part.name?.scalar?.text
        let inner = name.map { schema?.field($0) } ?? schema?.item
        let field = name.map { ScalarField(name: $0, schema: inner) } ?? ScalarField()
        guard let value = inFlow(part.value, schema: inner, field) else { return nil }
        guard let name else {
          parts.append(value)
          continue
        }
        let head = Array(ScalarText.written(name, inFlow: true).utf8) + Array(":".utf8)
        parts.append(value.isEmpty ? head : head + Array(" ".utf8) + value)
      }
      let inside = Array(parts.joined(separator: Array(", ".utf8)))
      if collection.isMapping {
        return Array((parts.isEmpty ? "{" : "{ ").utf8) + inside + Array((parts.isEmpty ? "}" : " }").utf8)
      }
      return Array("[".utf8) + inside + Array("]".utf8)
    }
  }

  // MARK: Scalars

  private mutating func addScalar(
    _ node: YAMLTree.Node, head: [UInt8], _ field: ScalarField, indent: Int, column: Int, comments: [[UInt8]]
  ) {
    guard let scalar = node.scalar, !scalar.isNothing else { return addLine(0, head + joined(comments)) }
    if scalar.style == .block { return addBlock(node, head: head, shift: indent - column, comments: comments) }
    let lines = field.lines(node, of: bytes)
    if lines.count > 1, !lines.contains([]), lines.allSatisfy({ $0.last != UInt8(ascii: "\\") }) {
      let line = Array(lines.joined(separator: Array(" ".utf8)))
      if columns(head) + 1 + columns(line) <= Self.width {
        return addLine(0, head + Array(" ".utf8) + line + joined(comments))
      }
    }
    for (number, line) in lines.enumerated() {
      let end = number == lines.count - 1 ? joined(comments) : []
      if number == 0 {
        addLine(0, head + Array(" ".utf8) + line + end)
      } else {
        addLine(line.isEmpty ? 0 : indent + 2, line + end)
      }
    }
  }

  /// A text in lines of its own: its lines stay, and move with what they are indented from.
  private mutating func addBlock(_ node: YAMLTree.Node, head: [UInt8], shift: Int, comments: [[UInt8]]) {
    let feed = UInt8(ascii: "\n")
    var lines = bytes[node.range].split(separator: feed, omittingEmptySubsequences: false)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    let header = lines.removeFirst().prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "#") }
    // An empty last line is only the start of the next one.
    if let last = lines.last, last.allSatisfy(EditedText.isSpace) { lines.removeLast() }
    let keepsEnd = header.contains(UInt8(ascii: "+"))
    while !keepsEnd, let last = lines.last, last.allSatisfy(EditedText.isSpace) { lines.removeLast() }
    addLine(0, head + Array(" ".utf8) + header + joined(comments))
    for line in lines {
      if shift >= 0 {
        addLine(line.isEmpty ? 0 : shift, line)
      } else {
        let lead = line.prefix(-shift).prefix { $0 == UInt8(ascii: " ") }.count
        addLine(0, line.dropFirst(lead))
      }
    }
  }
}

extension [LaidOut.Comment] {
  /// The comments without an empty line above the first.
  var withoutGap: [LaidOut.Comment] {
    var comments = self
    if !comments.isEmpty { comments[0].isApart = false }
    return comments
  }
}
