/// Gives each comment of a file to the part that it belongs to.
///
/// A comment at the end of a line belongs to what ends there, one on a line of its own to what comes next; but below the
/// last part of a list or mapping, one that is indented as far as the parts stays with them.
struct CommentPlacing {
  private let text: EditedText
  private var next = 0
  /// Whether the line above is empty, of the line that was last asked about: many parts may begin on one.
  private var lastLine = (start: 0, isApart: false)

  init(_ text: EditedText) {
    self.text = text
  }

  private var bytes: [UInt8] { text.bytes }
  private var comments: [Range<Int>] { text.tree.comments }

  /// The whole of a file: its root, and what comes before that and behind.
  mutating func root() -> (above: [LaidOut.Comment], value: LaidOut.Value, below: [LaidOut.Comment]) {
    let start = text.tree.root.range.lowerBound
    let above = takeAbove(start)
    let value = value(of: text.tree.root, column: 0, parent: -1, end: bytes.count)
    return (above, value, takeAbove(bytes.count + 1))
  }

  /// - Parameters:
  ///   - node: The value.
  ///   - column: The column of the part that has it.
  ///   - parent: The column of the collection around it, beside which nothing of its own begins.
  ///   - end: Where the next part begins, of this collection or of one around it.
  /// - Returns: The value with its comments.
  private mutating func value(of node: YAMLTree.Node, column: Int, parent: Int, end: Int) -> LaidOut.Value {
    if let entries = node.entries {
      var parts: [LaidOut.Part] = []
      let own = entries.first.map { self.column(of: $0.range.lowerBound) } ?? 0
      for (number, entry) in entries.enumerated() {
        let next = number + 1 < entries.count ? entries[number + 1].range.lowerBound : end
        parts.append(part(entry.name, entry.value, at: entry.range.lowerBound, column: own, end: next, in: node))
      }
      return collection(node, isMapping: true, parts, column: max(own, parent + 1), end: end)
    }
    if let items = node.items {
      var parts: [LaidOut.Part] = []
      let own = self.column(of: node.range.lowerBound)
      let starts = starts(of: items, in: node)
      for (number, item) in items.enumerated() {
        let next = number + 1 < items.count ? starts[number + 1] : end
        parts.append(part(nil, item, at: starts[number], column: own, end: next, in: node))
      }
      return collection(node, isMapping: false, parts, column: max(own, parent + 1), end: end)
    }
    return .scalar(node, column: column)
  }

  private mutating func part(
    _ name: YAMLTree.Node?, _ value: YAMLTree.Node, at start: Int, column: Int, end: Int, in collection: YAMLTree.Node
  ) -> LaidOut.Part {
    var part = LaidOut.Part(name: name, value: .scalar(value, column: column))
    part.above = takeAbove(start)
    part.isApart = isApart(start)
    let valueStart = value.scalar.map { $0.isNothing ? start : value.range.lowerBound } ?? value.range.lowerBound
    if value.isFlow || value.scalar != nil {
      // A comment between a name and its value is moved above the field.
      part.above += takeAbove(valueStart)
      if value.isFlow {
        let first = value.items?.first?.range ?? value.entries?.first?.range
        part.behindName = takeLine(of: valueStart, before: first?.lowerBound ?? value.range.upperBound)
      }
    } else {
      part.behindName = takeLine(of: name?.range.upperBound ?? start, before: valueStart)
    }
    let limit = collection.isFlow ? collection.range.upperBound : end
    part.value = self.value(of: value, column: column, parent: column, end: limit)
    if value.scalar?.style == .block {
      // The comment on the first line, as in "key: | # so".
      part.behind = takeLine(of: value.range.lowerBound, before: value.range.upperBound)
    } else if value.isFlow || value.scalar != nil {
      part.behind = takeBehind(max(value.range.upperBound, name?.range.upperBound ?? 0), isInFlow: collection.isFlow)
    }
    if case .collection(let inner) = part.value, inner.isFlow { settle(&part, inner) }
    return part
  }

  /// Finds a place for comments of brackets that go, or that hold nothing but comments.
  private func settle(_ part: inout LaidOut.Part, _ collection: LaidOut.Collection) {
    var collection = collection
    let isLong = text.hasLineBreak(collection.range)
    let last = part.behind.map { LaidOut.Comment(text: $0, isApart: false) }
    if collection.parts.isEmpty {
      part.above += collection.below + (isLong ? last : [])
      collection.below = []
      if isLong { part.behind = [] }
    } else if isLong, collection.hasComments || !part.behindName.isEmpty || part.behind.contains(where: isSuppression) {
      // The closing bracket is on another line than the name, so its comment may belong to the last item.
      let end = collection.parts.count - 1
      if let comment = part.behind.first, closesOnLastLine(collection), collection.parts[end].behind.isEmpty {
        collection.parts[end].behind = [comment]
        if case .collection(let inner) = collection.parts[end].value, inner.isFlow {
          settle(&collection.parts[end], inner)
        }
      } else {
        collection.below += last
      }
      part.behind = []
    }
    part.value = .collection(collection)
  }

  /// True where the closing bracket is on the line on which the last part ends.
  private func closesOnLastLine(_ collection: LaidOut.Collection) -> Bool {
    let bracket = collection.range.upperBound - 1
    let before = bytes[..<bracket].last { !EditedText.isBlank($0) && $0 != UInt8(ascii: ",") }
    return before != UInt8(ascii: "\n") && !collection.hasCommentAtEnd
  }

  private func isSuppression(_ comment: [UInt8]) -> Bool { LayoutWriter.isSuppression(comment) }

  private mutating func collection(
    _ node: YAMLTree.Node, isMapping: Bool, _ parts: [LaidOut.Part], column: Int, end: Int
  ) -> LaidOut.Value {
    var below: [LaidOut.Comment] = []
    if node.isFlow {
      below = takeAbove(node.range.upperBound)
    } else {
      while next < comments.count, comments[next].lowerBound < end, isAlone(comments[next]),
        self.column(of: comments[next].lowerBound) >= column
      {
        below.append(takeComment())
      }
    }
    return .collection(
      LaidOut.Collection(isMapping: isMapping, isFlow: node.isFlow, parts: parts, below: below, range: node.range))
  }

  /// Where each item begins: of a list in lines, at its dash.
  private func starts(of items: [YAMLTree.Node], in list: YAMLTree.Node) -> [Int] {
    guard !list.isFlow else { return items.map(\.range.lowerBound) }
    var starts: [Int] = []
    var offset = list.range.lowerBound
    for item in items {
      starts.append(min(text.skipTrivia(from: offset), item.range.lowerBound))
      offset = item.range.upperBound
    }
    return starts
  }
}

// MARK: Taking comments

extension CommentPlacing {
  private mutating func takeComment() -> LaidOut.Comment {
    let range = comments[next]
    next += 1
    return LaidOut.Comment(text: words(range), isApart: isAlone(range) && isApart(range.lowerBound))
  }

  /// The comments before an offset that nobody has taken.
  private mutating func takeAbove(_ offset: Int) -> [LaidOut.Comment] {
    var taken: [LaidOut.Comment] = []
    while next < comments.count, comments[next].lowerBound < offset { taken.append(takeComment()) }
    return taken
  }

  /// The comment on the line of an offset, if it is before another offset.
  private mutating func takeLine(of offset: Int, before end: Int) -> [[UInt8]] {
    guard next < comments.count, comments[next].lowerBound >= offset, comments[next].lowerBound < end,
      !text.hasLineBreak(offset..<comments[next].lowerBound)
    else { return [] }
    next += 1
    return [words(comments[next - 1])]
  }

  /// The comment behind a value on its line, where nothing else is between but a comma.
  private mutating func takeBehind(_ offset: Int, isInFlow: Bool) -> [[UInt8]] {
    guard next < comments.count, comments[next].lowerBound >= offset else { return [] }
    let between = bytes[offset..<comments[next].lowerBound]
    guard between.allSatisfy({ EditedText.isBlank($0) || isInFlow && $0 == UInt8(ascii: ",") }) else { return [] }
    next += 1
    return [words(comments[next - 1])]
  }

  /// A comment without white space at its end.
  private func words(_ range: Range<Int>) -> [UInt8] {
    var end = range.upperBound
    while end > range.lowerBound, EditedText.isSpace(bytes[end - 1]) { end -= 1 }
    return Array(bytes[range.lowerBound..<end])
  }

  private func isAlone(_ comment: Range<Int>) -> Bool { text.indentation(before: comment.lowerBound) != nil }

  /// True where the line above an offset's is empty.
  private mutating func isApart(_ offset: Int) -> Bool {
    let start = text.lineStart(offset)
    if start != lastLine.start {
      lastLine = (start, bytes[text.lineStart(start - 1)..<start].allSatisfy(EditedText.isSpace))
    }
    return lastLine.isApart
  }

  /// The column of an offset, from 0, in bytes: only white space and dashes are before what is asked for.
  private func column(of offset: Int) -> Int { offset - text.lineStart(offset) }
}
