/// Where a cursor is in a file, for completion: what the text in front of it says, and nothing behind it.
struct OutlineCursor {
  enum Role: Equatable {
    /// In a comment, which begins at the byte.
    case comment(Int)
    /// Where a field's name, or a value in place of it, may begin.
    case start
    /// Behind a field's colon.
    case value
  }

  var role: Role
  /// What the cursor is inside of: for ``Role/value`` the field itself.
  var path: [Outline.Step]
  /// The names of the fields that are beside it, in front of the cursor.
  var siblings: [String]
  /// What has been typed of the word, and where it begins.
  var prefix: Outline.Word
  var isFlow: Bool
  /// True right behind a colon, where a space has to come first.
  var needsSpace = false
  /// True where a line has nothing but spaces in front of the cursor.
  var isNewLine = false

  /// - Parameter bytes: The text, cut off at the cursor.
  init?(_ bytes: [UInt8]) {
    var scanner = OutlineScanner(bytes)
    scanner.scan()
    let outline = scanner.outline
    let end = bytes.count
    prefix = Outline.Word(text: "", span: end..<end)
    isFlow = !scanner.flow.isEmpty
    siblings = []
    path = []
    role = .start
    if let comment = outline.comment(at: end) {
      role = .comment(comment.lowerBound)
      return
    }
    var holder: Int?
    let lineStart = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    let line = bytes[lineStart...]
    if scanner.blockText != nil, line.allSatisfy({ $0 == UInt8(ascii: " ") }) == false { return nil }
    let touched = outline.nodes.indices.last { node in
      outline.nodes[node].value.map { $0.span.upperBound == end && $0.span.lowerBound >= lineStart } ?? false
    }
    if let node = touched, let word = outline.nodes[node].value {
      prefix = word
      let isQuoted =
        bytes[word.span.lowerBound] == UInt8(ascii: "\"") || bytes[word.span.lowerBound] == UInt8(ascii: "'")
      if isQuoted, word.span.count > 1, bytes[end - 1] == bytes[word.span.lowerBound] { return nil }
      switch outline.nodes[node].kind {
      case .field:
        role = .value
        holder = node
      case .item: holder = node
      case .word: holder = outline.nodes[node].parent
      }
    } else if let frame = scanner.flow.last {
      if let entry = frame.entry {
        guard outline.nodes[entry].value == nil else { return nil }
        role = .value
        holder = entry
        needsSpace = bytes.last == UInt8(ascii: ":")
      } else {
        holder = frame.node
      }
    } else if line.allSatisfy({ $0 == UInt8(ascii: " ") }) {
      isNewLine = true
      holder = scanner.open.last { outline.nodes[$0].indent < line.count }
    } else if let last = scanner.open.last {
      let node = outline.nodes[last]
      guard node.value == nil, node.start >= lineStart else { return nil }
      holder = last
      if node.kind == .field { role = .value }
      needsSpace = bytes.last == UInt8(ascii: ":")
      if node.kind == .item, bytes.last == UInt8(ascii: "-") { return nil }
    } else {
      return nil
    }
    path = outline.path(of: holder)
    siblings = outline.children(of: holder).filter { outline.nodes[$0].kind == .field }
      .compactMap { outline.nodes[$0].name?.text }
    // Inside a list in brackets, everything is an item.
    if role == .start, let frame = scanner.flow.last, !frame.isMapping, touched.map({ outline.nodes[$0].kind }) != .item
    {
      path.append(.item)
    }
  }
}
