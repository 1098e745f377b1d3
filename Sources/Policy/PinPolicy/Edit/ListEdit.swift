/// Puts names into a list of names and removes them.
struct ListEdit {
  private let list: YAMLTree.Entry
  private let items: [YAMLTree.Node]

  /// Takes the field with the list.
  init(_ list: YAMLTree.Entry) throws(PolicyEditError) {
    guard let items = list.value.items else { throw .unreadable }
    self.list = list
    self.items = items
  }

  private var isFlow: Bool { list.value.isFlow }

  /// True for a list of lines.
  var isBlock: Bool { !isFlow }

  func index(of name: String) -> Int? { items.firstIndex { $0.scalar?.text == name } }

  /// The comment at the end of an item's line with the white space before it, which moves with the item.
  func comment(behind item: Int, in text: EditedText) -> [UInt8]? {
    guard !isFlow else { return nil }
    let end = items[item].range.upperBound
    return text.comment(behind: end).map { Array(text.bytes[end..<$0.upperBound]) }
  }

  /// Puts a name at the end of the list, and a comment behind it on its line, for which there is room in a list of
  /// lines only.
  func append(_ name: String, comment: [UInt8], to text: inout EditedText) throws(PolicyEditError) {
    let written = PolicyEdit.written(name)
    guard !isFlow else {
      let flow = FlowEdit(list.value)
      return flow.insert(written, behind: items.isEmpty ? nil : items.count - 1, into: &text)
    }
    text.addLines([try lead(in: text) + written + comment], below: list.value.range.upperBound)
  }

  /// Puts names at the end of the list.
  func append(_ names: [String], to text: inout EditedText) throws(PolicyEditError) {
    guard isFlow else {
      for name in names { try append(name, comment: [], to: &text) }
      return
    }
    let written = Array(names.map(PolicyEdit.written).joined(separator: Array(", ".utf8)))
    FlowEdit(list.value).insert(written, behind: items.isEmpty ? nil : items.count - 1, into: &text)
  }

  /// Removes a name, and the comment behind it where that goes too; it stays on a line of its own otherwise.
  func remove(_ item: Int, takesComment: Bool, from text: inout EditedText) throws(PolicyEditError) {
    guard !isFlow else { return FlowEdit(list.value).remove(item, from: &text) }
    let node = items[item]
    let dash = text.lineStart(node.range.lowerBound) + (try indentation(of: node, in: text)).count
    let end = node.range.upperBound
    if takesComment {
      text.eraseLines(text.lineStart(dash)..<text.nextLine(end))
    } else {
      text.erase(dash..<end)
    }
    if items.count == 1 {
      text.insert(Array(" []".utf8), at: try text.colon(behind: list.name) + 1)
    }
  }

  /// What is before the last item's text on its line: white space, the dash and the space behind it.
  func lead(in text: EditedText) throws(PolicyEditError) -> [UInt8] {
    guard let item = items.last else { throw .unreadable }
    _ = try indentation(of: item, in: text)
    return Array(text.bytes[text.lineStart(item.range.lowerBound)..<item.range.lowerBound])
  }

  /// The white space before an item's dash.
  private func indentation(of item: YAMLTree.Node, in text: EditedText) throws(PolicyEditError) -> [UInt8] {
    let line = text.bytes[text.lineStart(item.range.lowerBound)..<item.range.lowerBound]
    let blank = line.prefix(while: EditedText.isBlank)
    let isDashed =
      line[blank.endIndex...].first == UInt8(ascii: "-")
      && line[blank.endIndex...].dropFirst().allSatisfy(EditedText.isBlank)
    guard isDashed else {
      throw .layout("an item of the list isn't on the line of its '-'; write it as '- name'")
    }
    return Array(blank)
  }
}
