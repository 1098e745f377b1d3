/// Reads a text line by line into an ``Outline``.
struct OutlineScanner {
  let bytes: [UInt8]
  private(set) var outline = Outline()
  /// The nodes in lines that are open, the outermost first.
  private(set) var open: [Int] = []
  /// The brackets that are open.
  private(set) var flow: [OutlineFlow] = []
  /// The node whose text is below it in lines of its own (`|`).
  private(set) var blockText: Int?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func scan() {
    var start = 0
    while start <= bytes.count {
      let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      var end = feed
      if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      line(start, end)
      start = feed + 1
    }
  }

  private mutating func line(_ start: Int, _ end: Int) {
    let first = skipSpaces(from: start, to: end)
    let indent = first - start
    guard first < end else { return }
    if let node = blockText {
      if indent > outline.nodes[node].indent { return outline.extend(node, to: end) }
      blockText = nil
    }
    if let outer = flow.first {
      let closes = bytes[first] == UInt8(ascii: "]") || bytes[first] == UInt8(ascii: "}")
      if closes || indent > outer.indent { return flowLine(from: first, to: end) }
      // The bracket isn't closed, and a line with so little indentation isn't inside it.
      flow = []
    }
    if bytes[first] == UInt8(ascii: "#") { return outline.addComment(first..<end) }
    if indent == 0, isMarker(first, end) { return open = [] }
    content(first, start, end)
  }

  /// `---`, `...` or a directive.
  private func isMarker(_ first: Int, _ end: Int) -> Bool {
    let text = bytes[first..<end]
    return text.first == UInt8(ascii: "%") || text.starts(with: Array("---".utf8))
      || text.starts(with: Array("...".utf8))
  }

  /// What a line holds behind its indentation.
  private mutating func content(_ first: Int, _ start: Int, _ end: Int) {
    var index = first
    var item: Int?
    while index < end, bytes[index] == UInt8(ascii: "-"), index + 1 == end || bytes[index + 1] == UInt8(ascii: " ") {
      let indent = index - start
      // A list may have the same indentation as the field whose value it is.
      while let last = open.last,
        outline.nodes[last].indent > indent
          || outline.nodes[last].indent == indent && outline.nodes[last].kind != .field
      { open.removeLast() }
      let made = outline.add(
        Outline.Node(kind: .item, parent: open.last, indent: indent, end: index + 1, start: index))
      open.append(made)
      item = made
      index = skipSpaces(from: index + 1, to: end)
    }
    guard index < end else { return }
    if bytes[index] == UInt8(ascii: "#") { return outline.addComment(index..<end) }
    let indent = index - start
    if item == nil { while let last = open.last, outline.nodes[last].indent >= indent { open.removeLast() } }
    if let (name, colon) = fieldName(from: index, to: end) {
      let field = outline.add(
        Outline.Node(kind: .field, parent: open.last, name: name, indent: indent, end: colon + 1, start: index))
      open.append(field)
      return value(of: field, from: skipSpaces(from: colon + 1, to: end), to: end)
    }
    if let item { return value(of: item, from: index, to: end) }
    if let last = open.last, outline.nodes[last].value != nil {
      // A text that continues after its first line.
      return outline.extend(last, to: end)
    }
    if bytes[index] == UInt8(ascii: "[") || bytes[index] == UInt8(ascii: "{"), let last = open.last {
      return value(of: last, from: index, to: end)
    }
    let word = scalar(from: index, to: end, inFlow: false)
    _ = outline.add(
      Outline.Node(
        kind: .word, parent: open.last, value: word, indent: indent, end: word.span.upperBound, start: index))
    comment(from: word.span.upperBound, to: end)
  }

  /// A field's value where it begins on the same line.
  private mutating func value(of node: Int, from index: Int, to end: Int) {
    guard index < end else { return }
    switch bytes[index] {
    case UInt8(ascii: "#"): outline.addComment(index..<end)
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      flow = [
        OutlineFlow(
          node: node, isMapping: bytes[index] == UInt8(ascii: "{"), indent: outline.nodes[open.first ?? node].indent)
      ]
      // Lines inside the brackets are indented more than the line that opened them.
      flow[0].indent = outline.nodes[node].indent
      flowLine(from: index + 1, to: end)
    case UInt8(ascii: "|"), UInt8(ascii: ">"):
      blockText = node
      comment(from: index, to: end)
    default:
      let word = scalar(from: index, to: end, inFlow: false)
      outline.setValue(word, of: node)
      comment(from: word.span.upperBound, to: end)
    }
  }

  private mutating func comment(from index: Int, to end: Int) {
    var index = index
    while index < end {
      if bytes[index] == UInt8(ascii: "#"), index > 0, bytes[index - 1] == UInt8(ascii: " ") {
        return outline.addComment(index..<end)
      }
      index += 1
    }
  }

  /// The name in front of a colon, and where the colon is.
  private func fieldName(from start: Int, to end: Int) -> (Outline.Word, Int)? {
    if bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
      let word = scalar(from: start, to: end, inFlow: false)
      let colon = skipSpaces(from: word.span.upperBound, to: end)
      guard colon < end, bytes[colon] == UInt8(ascii: ":") else { return nil }
      return (word, colon)
    }
    guard bytes[start] != UInt8(ascii: "["), bytes[start] != UInt8(ascii: "{") else { return nil }
    var index = start
    while index < end {
      if bytes[index] == UInt8(ascii: "#"), index > start, bytes[index - 1] == UInt8(ascii: " ") { return nil }
      if bytes[index] == UInt8(ascii: ":"), index + 1 == end || bytes[index + 1] == UInt8(ascii: " ") {
        var last = index
        while last > start, bytes[last - 1] == UInt8(ascii: " ") { last -= 1 }
        return last > start ? (word(start..<last), index) : nil
      }
      index += 1
    }
    return nil
  }
}

// MARK: Brackets

/// An open bracket.
struct OutlineFlow {
  /// What the bracket is the value of.
  var node: Int
  var isMapping: Bool
  /// Of the line of the outermost.
  var indent: Int
  /// The field of a mapping that waits for its value, or has it.
  var entry: Int?
}

extension OutlineScanner {
  fileprivate mutating func flowLine(from start: Int, to end: Int) {
    var index = start
    while index < end, let frame = flow.last {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: " "): index += 1
      case UInt8(ascii: "#"): return outline.addComment(index..<end)
      case UInt8(ascii: ","):
        flow[flow.count - 1].entry = nil
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        index += 1
        outline.extend(frame.node, to: index)
        flow.removeLast()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        var node = frame.entry
        if node == nil {
          node = outline.add(
            Outline.Node(
              kind: .item, parent: frame.node, indent: .max, isFlow: true, end: index + 1, start: index))
        }
        // No policy is nested so deeply, so the rest isn't parsed.
        guard flow.count < 32, let node else { return }
        flow.append(OutlineFlow(node: node, isMapping: byte == UInt8(ascii: "{"), indent: frame.indent))
        index += 1
      case UInt8(ascii: ":"):
        index += 1
      default: index = flowScalar(frame, from: index, to: end)
      }
    }
    if flow.isEmpty { comment(from: index, to: end) }
  }

  private mutating func flowScalar(_ frame: OutlineFlow, from start: Int, to end: Int) -> Int {
    let word = scalar(from: start, to: end, inFlow: true)
    var index = max(word.span.upperBound, start + 1)
    let next = skipSpaces(from: index, to: end)
    var node = Outline.Node(
      kind: .item, parent: frame.node, indent: .max, isFlow: true, end: word.span.upperBound, start: start)
    if next < end, bytes[next] == UInt8(ascii: ":"), frame.isMapping, frame.entry == nil {
      node.kind = .field
      node.name = word
      node.end = next + 1
      flow[flow.count - 1].entry = outline.add(node)
      index = next + 1
    } else if let entry = frame.entry {
      outline.setValue(word, of: entry)
    } else {
      node.kind = frame.isMapping ? .word : .item
      node.value = word
      _ = outline.add(node)
    }
    return index
  }
}

// MARK: Words

extension OutlineScanner {
  func skipSpaces(from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t") { index += 1 }
    return index
  }

  fileprivate func word(_ span: Range<Int>) -> Outline.Word {
    Outline.Word(text: String(decoding: bytes[span], as: UTF8.self), span: span)
  }

  /// A scalar on one line: in quotes up to their end, else up to a comment, the line's end, or in brackets what ends it.
  fileprivate func scalar(from start: Int, to end: Int, inFlow: Bool) -> Outline.Word {
    let quote = bytes[start]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      var index = start + 1
      while index < end, bytes[index] != quote {
        index += quote == UInt8(ascii: "\"") && bytes[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      let inner = start + 1..<max(start + 1, min(index, end))
      return Outline.Word(
        text: String(decoding: bytes[inner], as: UTF8.self), span: start..<min(index + 1, end))
    }
    var index = start
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "#"), index > start, bytes[index - 1] == UInt8(ascii: " ") { break }
      if inFlow {
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
          || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
        {
          break
        }
        let isLast = index + 1 == end
        if byte == UInt8(ascii: ":"), isLast || bytes[index + 1] == UInt8(ascii: " ") { break }
      }
      index += 1
    }
    while index > start, bytes[index - 1] == UInt8(ascii: " ") || bytes[index - 1] == UInt8(ascii: "\t") { index -= 1 }
    return word(start..<index)
  }
}
