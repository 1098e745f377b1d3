import Diagnostics

/// A policy file as nodes with the bytes that each takes: what an edit of the text needs and a typed record forgets.
struct YAMLTree: Sendable {
  /// A value, or the name of a field.
  struct Node: Sendable {
    enum Content: Sendable {
      case scalar(YAMLScalar)
      case list([Node])
      case mapping([Entry])
    }

    var content: Content
    /// True for `[…]` and `{…}`.
    var isFlow = false
    /// From the first byte to behind the last one: of a list or mapping in lines, those of its parts.
    var range: Range<Int>
  }

  /// A field and its value.
  struct Entry: Sendable {
    var name: Node
    var value: Node

    var text: String? { name.scalar?.text }
    var range: Range<Int> { name.range.lowerBound..<max(name.range.upperBound, value.range.upperBound) }
  }

  let bytes: [UInt8]
  let lines: LineOffsets
  let root: Node
  /// Every comment, from its `#` to the end of its line, in order.
  let comments: [Range<Int>]

  /// Takes a text apart that ``PolicyReader`` has read without a problem, except tabs.
  ///
  /// - Throws: ``PolicyEditError/unreadable`` for any other text.
  init(_ bytes: [UInt8]) throws(PolicyEditError) {
    let file = FileID(0)
    let text = SourceText(bytes, file: file)
    // A tab is read as one space, so all places stay correct.
    guard let fit = text.bytes, fit.count == bytes.count, text.firstLineShift == 0,
      let parser = YAMLParser(fit, file: file, firstLineShift: 0)
    else { throw .unreadable }
    var builder = TreeBuilder(parser, fit)
    root = try builder.document()
    self.bytes = bytes
    lines = builder.lines
    comments = Self.comments(in: fit, besides: builder.scalars)
  }

  /// libyaml doesn't report comments: they begin at any `#` that isn't in a scalar.
  private static func comments(in bytes: [UInt8], besides scalars: [Range<Int>]) -> [Range<Int>] {
    var comments: [Range<Int>] = []
    var rest = scalars[...]
    var index = 0
    while index < bytes.count {
      if let scalar = rest.first, index >= scalar.lowerBound {
        index = max(index, scalar.upperBound)
        rest.removeFirst()
        continue
      }
      guard bytes[index] == UInt8(ascii: "#") else {
        index += 1
        continue
      }
      var end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let next = end
      if bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      comments.append(index..<end)
      index = next
    }
    return comments
  }
}

extension YAMLTree.Node {
  var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  var items: [YAMLTree.Node]? {
    if case .list(let items) = content { items } else { nil }
  }

  var entries: [YAMLTree.Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  /// The field of a mapping.
  subscript(name: String) -> YAMLTree.Entry? {
    entries?.first { $0.text == name }
  }
}
