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
