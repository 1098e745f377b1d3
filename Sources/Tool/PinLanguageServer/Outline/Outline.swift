/// What the lines of a policy file show of its structure, whether or not it is YAML by now.
///
/// Half-typed text is the normal case in an editor, and a YAML parser stops where it stops to be YAML. This looks at
/// indentation, dashes, colons and brackets alone, and never stops. It decides nothing about the policy: it tells where
/// things are, for what the editor asks about a place.
struct Outline {
  /// A text without its quotes, and the bytes that it takes with them.
  struct Word: Equatable {
    var text: String
    var span: Range<Int>

    /// True where the place is inside of the word or touches it.
    func touches(_ offset: Int) -> Bool { span.lowerBound <= offset && offset <= span.upperBound }
  }

  /// A field, an item of a list, or a word that is neither yet.
  struct Node {
    enum Kind: Equatable {
      case field
      case item
      /// A word where a field or an item belongs: what is being typed, or a text's further line.
      case word
    }

    var kind: Kind
    /// Nil at the top of the file.
    var parent: Int?
    /// The name of a field.
    var name: Word?
    /// What is behind the colon or dash, where that is a scalar on the same line; or the word itself.
    var value: Word?
    /// Bytes in front of it on its line; what lies deeper is its own.
    var indent: Int
    /// Inside of brackets.
    var isFlow = false
    /// Behind the last byte of it and of all that is its own.
    var end: Int
    /// From where it begins.
    var start: Int
  }

  /// One step from a node towards the top.
  enum Step: Equatable {
    case field(String)
    case item
  }

  fileprivate(set) var nodes: [Node] = []
  fileprivate(set) var comments: [Range<Int>] = []

  init(_ bytes: [UInt8]) {
    var scanner = OutlineScanner(bytes)
    scanner.scan()
    self = scanner.outline
  }

  init() {}

  /// The way from the top of the file to a node, itself included.
  func path(of node: Int?) -> [Step] {
    var steps: [Step] = []
    var current = node
    while let index = current {
      switch nodes[index].kind {
      case .field: steps.append(.field(nodes[index].name?.text ?? ""))
      case .item: steps.append(.item)
      case .word: break
      }
      current = nodes[index].parent
    }
    return steps.reversed()
  }

  func children(of node: Int?) -> [Int] { nodes.indices.filter { nodes[$0].parent == node } }

  /// The comment at a place.
  func comment(at offset: Int) -> Range<Int>? {
    comments.first { $0.lowerBound < offset && offset <= $0.upperBound }
  }

  mutating func add(_ node: Node) -> Int {
    nodes.append(node)
    var ancestor = node.parent
    while let index = ancestor {
      nodes[index].end = max(nodes[index].end, node.end)
      ancestor = nodes[index].parent
    }
    return nodes.count - 1
  }

  mutating func setValue(_ word: Word, of node: Int) {
    nodes[node].value = word
    extend(node, to: word.span.upperBound)
  }

  mutating func extend(_ node: Int, to end: Int) {
    var current: Int? = node
    while let index = current {
      nodes[index].end = max(nodes[index].end, end)
      current = nodes[index].parent
    }
  }

  mutating func addComment(_ span: Range<Int>) { comments.append(span) }
}
