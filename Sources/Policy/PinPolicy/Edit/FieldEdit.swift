/// Adds, changes and removes fields of a mapping.
struct FieldEdit {
  private let mapping: YAMLTree.Node
  private let entries: [YAMLTree.Entry]

  init(_ mapping: YAMLTree.Node) throws(PolicyEditError) {
    guard let entries = mapping.entries else { throw .unreadable }
    self.mapping = mapping
    self.entries = entries
  }

  /// Adds a field behind those that come before it in the order in which people write them.
  ///
  /// The value is on the line of the name, or, where that is empty, on lines of its own, which are indented from
  /// the name.
  func add(
    _ name: String, _ value: String, lines: [String] = [], order: [String], to text: inout EditedText
  ) throws(PolicyEditError) {
    let before = order.prefix { $0 != name }
    let place = entries.lastIndex { entry in entry.text.map(before.contains) ?? false }
    let field = Array((value.isEmpty ? name + ":" : name + ": " + value).utf8)
    if mapping.isFlow { return FlowEdit(mapping).insert(field, behind: place, into: &text) }
    guard let first = entries.first else { throw .unreadable }
    let indentation = indentation(in: text)
    let all = [indentation + field] + lines.map { indentation + Array($0.utf8) }
    if let place {
      let end = entries[place].range.upperBound
      // After a block scalar, which ends at the start of the next line.
      if text.lineStart(end) == end, end > 0 {
        text.insert(all.flatMap { $0 + text.lineBreak(near: end) }, at: end)
      } else {
        text.addLines(all, below: end)
      }
    } else {
      guard text.indentation(before: first.range.lowerBound) != nil else {
        throw .layout("the field can't be put on its own line")
      }
      let start = first.range.lowerBound
      text.insert(all.flatMap { $0 + text.lineBreak(near: start) }, at: text.lineStart(start))
    }
  }

  /// The white space before the mapping's fields: as many columns as the first one is in.
  func indentation(in text: EditedText) -> [UInt8] {
    for entry in entries {
      if let blank = text.indentation(before: entry.range.lowerBound) { return blank }
    }
    return []
  }

  /// Removes a field with its value; comments stay.
  func remove(_ name: String, from text: inout EditedText) throws(PolicyEditError) {
    guard let number = entries.firstIndex(where: { $0.text == name }) else { throw .noField(name) }
    try remove(number, from: &text)
  }

  /// Removes the field of a number; comments stay.
  func remove(_ number: Int, from text: inout EditedText) throws(PolicyEditError) {
    if mapping.isFlow { return FlowEdit(mapping).remove(number, from: &text) }
    let name = entries[number].text ?? ""
    guard entries.count > 1 else { throw .layout("'\(name)' is the only field of its mapping") }
    let range = entries[number].range
    guard text.indentation(before: range.lowerBound) != nil else {
      throw .layout("'\(name)' isn't at the beginning of a line")
    }
    text.erase(range)
  }
}

extension EditedText {
  /// The colon behind a field's name.
  func colon(behind name: YAMLTree.Node) throws(PolicyEditError) -> Int {
    let colon = skipTrivia(from: name.range.upperBound)
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { throw .unreadable }
    return colon
  }

  /// Puts a word in another one's place.
  mutating func replace(_ node: YAMLTree.Node, with word: String) throws(PolicyEditError) {
    guard let scalar = node.scalar, scalar.style != .block else {
      throw .layout("the value is written on its own lines")
    }
    replace(node.range, with: Array(word.utf8))
  }
}
