import PinFormat

/// The way from a file's root to a part of its text, the innermost last.
struct TreePath {
  enum Step {
    case field(Int, of: YAMLTree.Node)
    case item(Int, of: YAMLTree.Node)

    var entry: YAMLTree.Entry? {
      if case .field(let number, let mapping) = self { mapping.entries?[number] } else { nil }
    }

    var mapping: YAMLTree.Node? {
      if case .field(_, let mapping) = self { mapping } else { nil }
    }

    var isItem: Bool { entry == nil }
  }

  private(set) var steps: [Step] = []

  /// The way to a byte of a field's name, of a value, or between the two.
  init(to offset: Int, in root: YAMLTree.Node) {
    var node = root
    while true {
      if let entries = node.entries {
        guard let number = Self.last(of: entries.count, where: { entries[$0].name.range.lowerBound <= offset }) else {
          return
        }
        let entry = entries[number]
        guard Self.holds(entry.range, offset) else { return }
        steps.append(.field(number, of: node))
        guard entry.name.range.upperBound <= offset, Self.holds(entry.value.range, offset) else { return }
        node = entry.value
      } else if let items = node.items {
        guard let number = Self.last(of: items.count, where: { items[$0].range.lowerBound <= offset }) else { return }
        guard Self.holds(items[number].range, offset) else { return }
        steps.append(.item(number, of: node))
        node = items[number]
      } else {
        return
      }
    }
  }

  private static func holds(_ range: Range<Int>, _ offset: Int) -> Bool {
    range.contains(offset) || range.lowerBound == offset
  }

  /// The last part of a list or mapping that begins early enough; a long one is not gone through for each place in it.
  private static func last(of count: Int, where beginsInTime: (Int) -> Bool) -> Int? {
    let next = (0..<count).partitioningIndex { !beginsInTime($0) }
    return next > 0 ? next - 1 : nil
  }

  /// The way to the innermost field, of a name where one is given.
  func toField(_ name: String? = nil) -> TreePath? {
    ending { step in step.entry.map { name == nil || $0.text == name } ?? false }
  }

  /// The way to the innermost item of a list.
  func toItem() -> TreePath? { ending(where: \.isItem) }

  /// The way without its last step.
  var parent: TreePath {
    var path = self
    _ = path.steps.popLast()
    return path
  }

  private func ending(where isMeant: (Step) -> Bool) -> TreePath? {
    guard let last = steps.lastIndex(where: isMeant) else { return nil }
    var path = self
    path.steps.removeSubrange((last + 1)...)
    return path
  }
}
