/// A file's values with the comments that belong to each, before they are written again.
enum LaidOut {
  /// A comment on a line of its own.
  struct Comment {
    var text: [UInt8]
    /// Whether an empty line is above it.
    var isApart: Bool
  }

  /// A field of a mapping, or an item of a list.
  struct Part {
    /// The field's name; nil for an item.
    var name: YAMLTree.Node?
    var value: Value
    /// Comments on lines of their own above it.
    var above: [Comment] = []
    /// Whether an empty line is above it, below its comments.
    var isApart = false
    /// Comments on the line of the name, where the value begins below it.
    var behindName: [[UInt8]] = []
    /// Comments at the end of its last line.
    var behind: [[UInt8]] = []
  }

  /// A list or a mapping.
  struct Collection {
    var isMapping: Bool
    var isFlow: Bool
    var parts: [Part]
    /// Comments below its last part.
    var below: [Comment] = []
    /// The bytes of one in brackets.
    var range: Range<Int>

    /// Whether a comment is behind its last part, so that a bracket can't stand on that line.
    var hasCommentAtEnd: Bool { !below.isEmpty || parts.last?.behind.isEmpty == false }

    var hasComments: Bool {
      !below.isEmpty
        || parts.contains { part in
          !part.above.isEmpty || !part.behindName.isEmpty || !part.behind.isEmpty || part.value.hasComments
        }
    }
  }

  indirect enum Value {
    /// A scalar, and the column (from 0) of what it is indented from.
    case scalar(YAMLTree.Node, column: Int)
    case collection(Collection)

    var hasComments: Bool {
      if case .collection(let collection) = self { collection.hasComments } else { false }
    }

    /// The names of a mapping's fields.
    var names: [String] {
      if case .collection(let collection) = self { collection.parts.compactMap { $0.name?.scalar?.text } } else { [] }
    }

    var isEmptyScalar: Bool {
      if case .scalar(let node, _) = self { node.scalar?.isNothing ?? false } else { false }
    }
  }
}
