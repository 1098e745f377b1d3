package import Diagnostics

/// A policy file's text taken apart, so that rules can say which change of it repairs a finding.
///
/// Each function answers the edits of one change, or nil where the text is laid out in a way that none is known for.
/// Comments stay, except for those inside of what goes as a whole.
package struct EditableFile: Sendable {
  let tree: YAMLTree
  let file: FileID

  /// Answers nil where the text isn't YAML from its beginning to its end, or uses what policies do without.
  package init?(_ bytes: [UInt8], file: FileID) {
    guard let tree = try? YAMLTree(bytes) else { return nil }
    self.tree = tree
    self.file = file
  }

  var offsets: LineOffsets { tree.lines }

  /// The text of a place.
  package func text(at place: Place) -> String {
    String(decoding: tree.bytes[offsets.range(of: place)], as: UTF8.self)
  }

  /// The way to what is at a place.
  func path(to place: Place) -> TreePath {
    TreePath(to: offsets.offset(of: place.start), in: tree.root)
  }

  /// The edits that some replacements of bytes are.
  func edits(_ change: (inout EditedText) throws(PolicyEditError) -> Void) -> [Fix.Edit]? {
    var text = EditedText(tree)
    do {
      try change(&text)
    } catch {
      return nil
    }
    return text.changes?.map { range, text in
      Fix.Edit(replacing: offsets.place(of: range, in: file), with: String(decoding: text, as: UTF8.self))
    }
  }
}

// MARK: What is where

extension EditableFile {
  /// The names of all fields in the mapping of the field at a place; nil where it has more than any mapping of a policy
  /// whose fields are known, so that going through them for each of them would take long.
  package func names(besideFieldAt place: Place) -> [String]? {
    let entries = path(to: place).toField()?.steps.last?.mapping?.entries ?? []
    return entries.count > Self.mostFields ? nil : entries.compactMap(\.text)
  }

  /// Well above what a mapping has whose fields are known; names of keys and key sets may be many more.
  static let mostFields = 100

  /// How many items the list has that holds the item at a place.
  package func itemCount(ofListAt place: Place) -> Int {
    guard case .item(_, let list)? = path(to: place).toItem()?.steps.last else { return 0 }
    return list.items?.count ?? 0
  }

  /// True where the fields at two places have values that say the same.
  package func haveSameValue(_ place: Place, _ other: Place) -> Bool {
    guard let one = path(to: place).toField()?.steps.last?.entry?.value,
      let two = path(to: other).toField()?.steps.last?.entry?.value
    else { return false }
    return one.saysSame(as: two)
  }

  /// True if two items of lists say the same, except in one of their fields.
  package func areSameItems(_ place: Place, _ other: Place, but field: String) -> Bool {
    func item(_ place: Place) -> YAMLTree.Node? {
      guard case .item(let number, let list)? = path(to: place).toItem()?.steps.last else { return nil }
      return list.items?[number]
    }
    guard let one = item(place), let two = item(other) else { return false }
    return one.saysSame(as: two, but: field)
  }

  /// The text of the scalar at a place, on one line.
  package func scalar(at place: Place) -> String? {
    let value: YAMLTree.Node?
    switch path(to: place).steps.last {
    case .field(let number, let mapping): value = mapping.entries?[number].value
    case .item(let number, let list): value = list.items?[number]
    case nil: value = nil
    }
    guard let value, value.range == offsets.range(of: place), place.start.line == place.end.line else { return nil }
    return value.scalar?.text
  }

  /// The scalars of a list in brackets that is at a place; nil for anything else.
  package func scalars(ofFlowListAt place: Place) -> [String]? {
    let steps = path(to: place)
    guard let value = steps.toField()?.steps.last?.entry?.value, value.isFlow,
      value.range.lowerBound == offsets.offset(of: place.start)
    else { return nil }
    let texts = value.items?.compactMap(\.scalar?.text)
    return texts?.count == value.items?.count ? texts : nil
  }

  /// True where a place lies inside of a value's text, and isn't a comment or what is between values.
  package func isInQuotes(_ place: Place) -> Bool {
    let offset = offsets.offset(of: place.start)
    switch TreePath(to: offset, in: tree.root).steps.last {
    case .field(let number, let mapping):
      guard let entry = mapping.entries?[number] else { return false }
      return entry.name.range.contains(offset) || entry.value.range.contains(offset)
    case .item(let number, let list): return list.items?[number].range.contains(offset) ?? false
    case nil: return false
    }
  }

  /// True where what is at a place is inside of brackets or braces.
  package func isInFlow(_ place: Place) -> Bool {
    path(to: place).steps.contains { step in
      switch step {
      case .field(_, let node), .item(_, let node): node.isFlow
      }
    }
  }
}

extension EditableFile {
  /// A text in the place of a value, in quotes where it needs them.
  package func replacing(_ place: Place, with text: String) -> Fix.Edit {
    Fix.Edit(replacing: place, with: ScalarText.written(text, inFlow: isInFlow(place)))
  }

  /// A list in brackets in the place of a value.
  package func replacingWithList(_ items: [String], at place: Place) -> Fix.Edit {
    let written = items.map { ScalarText.written($0, inFlow: true) }.joined(separator: ", ")
    return Fix.Edit(replacing: place, with: "[\(written)]")
  }

  /// Other text in the place of the whole value at a place.
  package func replacingValue(at place: Place, with text: String) -> [Fix.Edit]? {
    guard let value = path(to: place).toField()?.steps.last?.entry?.value else { return nil }
    return [Fix.Edit(replacing: offsets.place(of: value.range, in: file), with: text)]
  }

  /// Removes the field at a place, or the nearest one of a name around it; with it what would be left empty.
  package func removing(fieldAt place: Place, named name: String? = nil) -> [Fix.Edit]? {
    path(to: place).toField(name).flatMap(removing)
  }

  /// Removes the item of a list at a place; a list that is left without items stays as `[]` where that is asked for,
  /// and goes with its field otherwise.
  package func removing(itemAt place: Place, keepsList: Bool = false) -> [Fix.Edit]? {
    guard let path = path(to: place).toItem(), case .item(let number, let list)? = path.steps.last else { return nil }
    guard keepsList, list.items?.count == 1, let field = path.parent.steps.last?.entry else { return removing(path) }
    return edits { text throws(PolicyEditError) in
      try ListEdit(field).remove(number, takesComment: true, from: &text)
    }
  }

  /// Adds names at the end of the list that has the item at a place.
  package func adding(_ names: [String], toListOfItemAt place: Place) -> [Fix.Edit]? {
    guard let list = path(to: place).toItem()?.parent.steps.last?.entry else { return nil }
    return edits { text throws(PolicyEditError) in try ListEdit(list).append(names, to: &text) }
  }

  /// Removes the comment at a place, and its line where nothing else is on it.
  package func removing(commentAt place: Place) -> [Fix.Edit]? {
    let range = offsets.range(of: place)
    return edits { text throws(PolicyEditError) in
      guard text.comment(at: range.lowerBound) != nil else { throw .unreadable }
      if text.indentation(before: range.lowerBound) != nil {
        text.eraseLines(text.lineStart(range.lowerBound)..<text.nextLine(range.lowerBound))
      } else {
        var start = range.lowerBound
        while start > 0, EditedText.isBlank(text.bytes[start - 1]) { start -= 1 }
        text.replace(start..<range.upperBound, with: [])
      }
    }
  }

  /// Adds a field, with a value as it is written, beside the one at a place; or, where the place lies deeper than that,
  /// beside the nearest one of a name around it.
  package func adding(
    _ name: String, _ value: String, besideFieldAt place: Place, named around: String? = nil
  ) -> [Fix.Edit]? {
    guard let path = path(to: place).toField(around), let mapping = path.steps.last?.mapping else { return nil }
    return adding(name, value, to: mapping)
  }

  /// Adds several fields, which belong together, beside the one at a place.
  package func adding(_ fields: [(name: String, value: String)], besideFieldAt place: Place) -> [Fix.Edit]? {
    guard let mapping = path(to: place).toField()?.steps.last?.mapping, let names = names(besideFieldAt: place) else {
      return nil
    }
    return edits { text throws(PolicyEditError) in
      let edit = try FieldEdit(mapping)
      for field in fields {
        try edit.add(field.name, field.value, order: FieldSchema.order(of: field.name, among: names), to: &text)
      }
    }
  }

  /// Adds a field to the mapping that is the value of the field at a place.
  package func adding(_ name: String, _ value: String, insideFieldAt place: Place) -> [Fix.Edit]? {
    path(to: place).toField()?.steps.last?.entry.flatMap { adding(name, value, to: $0.value) }
  }

  /// Adds a field to the file itself.
  package func addingAtTop(_ name: String, _ value: String) -> [Fix.Edit]? {
    adding(name, value, to: tree.root)
  }

  private func adding(_ name: String, _ value: String, to mapping: YAMLTree.Node) -> [Fix.Edit]? {
    guard let entries = mapping.entries, !entries.isEmpty, entries.count <= Self.mostFields else { return nil }
    let order = FieldSchema.order(of: name, among: entries.compactMap(\.text))
    return edits { text throws(PolicyEditError) in
      try FieldEdit(mapping).add(name, value, order: order, to: &text)
    }
  }

  /// Removes the last step of a path; what would be left empty goes as a whole.
  private func removing(_ path: TreePath) -> [Fix.Edit]? {
    switch path.steps.last {
    case .field(let number, let mapping):
      guard let entries = mapping.entries else { return nil }
      if entries.count == 1 { return path.steps.count > 1 ? removing(path.parent) : nil }
      return edits { text throws(PolicyEditError) in
        if !mapping.isFlow, number == 0, text.indentation(before: entries[0].range.lowerBound) == nil {
          // The field is right after a dash, so the next field moves up to the dash.
          let gap = entries[0].range.lowerBound..<entries[1].range.lowerBound
          guard text.comments(in: gap).isEmpty else { throw .layout("there is a comment between two fields") }
          return text.replace(gap, with: [])
        }
        try FieldEdit(mapping).remove(number, from: &text)
      }
    case .item(let number, let list):
      guard let items = list.items else { return nil }
      if items.count == 1 { return path.steps.count > 1 ? removing(path.parent) : nil }
      return edits { text throws(PolicyEditError) in
        try Self.remove(number, of: list, items, from: &text)
      }
    case nil: return nil
    }
  }

  private static func remove(
    _ number: Int, of list: YAMLTree.Node, _ items: [YAMLTree.Node], from text: inout EditedText
  ) throws(PolicyEditError) {
    if list.isFlow { return FlowEdit(list).remove(number, from: &text) }
    let node = items[number]
    let start = text.lineStart(node.range.lowerBound)
    let lead = text.bytes[start..<node.range.lowerBound].drop(while: EditedText.isBlank)
    guard lead.first == UInt8(ascii: "-"), lead.dropFirst().allSatisfy(EditedText.isBlank) else {
      throw .layout("the item isn't on a line with its own dash")
    }
    let end = node.range.upperBound
    // A block scalar ends at the start of the next line.
    text.eraseLines(start..<(end > start && text.lineStart(end) == end ? end : text.nextLine(end)))
  }
}
