/// Puts parts into `[…]` and `{…}` and removes them, in the way in which the others are laid out.
struct FlowEdit {
  /// From the bracket to behind the other one.
  let range: Range<Int>
  /// The items, or the fields with their values, in order.
  let parts: Parts
  /// True for `{…}`, which has spaces inside of its braces.
  let isMapping: Bool

  init(_ node: YAMLTree.Node) {
    range = node.range
    parts = Parts(items: node.items ?? [], entries: node.entries ?? [])
    isMapping = node.entries != nil
  }

  /// The ranges of parts, each made when somebody asks for it: a long list isn't gone through for each edit of it.
  struct Parts: RandomAccessCollection {
    fileprivate let items: [YAMLTree.Node]
    fileprivate let entries: [YAMLTree.Entry]

    var startIndex: Int { 0 }
    var endIndex: Int { entries.isEmpty ? items.count : entries.count }
    subscript(number: Int) -> Range<Int> { entries.isEmpty ? items[number].range : entries[number].range }
  }

  /// Puts a part behind another one, or before all of them.
  func insert(_ part: [UInt8], behind number: Int?, into text: inout EditedText) {
    let next = number.map { $0 + 1 } ?? 0
    if parts.isEmpty {
      fill(with: part, &text)
    } else if next < parts.count {
      insert(part, before: parts[next].lowerBound, &text)
    } else {
      append(part, behind: parts[next - 1], &text)
    }
  }

  private var inside: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }

  private func fill(with part: [UInt8], _ text: inout EditedText) {
    if let indentation = text.indentation(before: inside.upperBound), text.hasLineBreak(inside) {
      let line = indentation + Array("  ".utf8) + part + text.lineBreak(near: inside.lowerBound)
      return text.insert(line, at: text.lineStart(inside.upperBound))
    }
    let space = isMapping || !inside.isEmpty ? Array(" ".utf8) : []
    text.replace(inside, with: space + part + space)
  }

  private func insert(_ part: [UInt8], before next: Int, _ text: inout EditedText) {
    if let indentation = ownIndentation(at: next, text) {
      let line = indentation + part + Array(",".utf8) + text.lineBreak(near: next)
      text.insert(line, at: text.lineStart(next))
    } else {
      text.insert(part + Array(", ".utf8), at: next)
    }
  }

  private func append(_ part: [UInt8], behind last: Range<Int>, _ text: inout EditedText) {
    let comma = comma(behind: last, text)
    let end = comma.map { $0 + 1 } ?? last.upperBound
    let closesLine = text.lineStart(inside.upperBound) > end
    guard let indentation = ownIndentation(at: last.lowerBound, text) else {
      guard comma == nil else { return text.insert(Array(" ".utf8) + part + Array(",".utf8), at: end) }
      return text.insert(separator(text) + part, at: end)
    }
    let comment = text.comment(behind: end)
    if comma != nil, closesLine {
      text.addLines([indentation + part + Array(",".utf8)], below: comment?.upperBound ?? end)
    } else if comma == nil, closesLine {
      text.insert(Array(",".utf8), at: end)
      text.addLines([indentation + part], below: comment?.upperBound ?? end)
    } else {
      let trailing = comma == nil ? [] : Array(",".utf8)
      let leading = comma == nil ? Array(",".utf8) : []
      text.insert(leading + text.lineBreak(near: end) + indentation + part + trailing, at: end)
    }
  }

  /// Removes a part, with one of the commas beside it.
  func remove(_ number: Int, from text: inout EditedText) {
    let part = parts[number]
    let follower = comma(behind: part, text)
    if parts.count == 1, !text.hasLineBreak(inside) {
      return text.replace(inside, with: [])
    }
    if let follower {
      // The next item on the line moves to the removed item's place.
      var end = follower + 1
      let next = text.bytes[end...].firstIndex { !EditedText.isBlank($0) } ?? text.bytes.count
      let isFollowed = number + 1 < parts.count && next == parts[number + 1].lowerBound
      if isFollowed { end = next }
      return isFollowed && text.comments(in: part.lowerBound..<end).isEmpty && !text.hasLineBreak(part.lowerBound..<end)
        ? text.replace(part.lowerBound..<end, with: []) : text.erase(part.lowerBound..<end)
    }
    if number > 0 {
      let before = parts[number - 1].upperBound
      let between = before..<part.lowerBound
      if !text.hasLineBreak(between), text.comments(in: between).isEmpty {
        return text.erase(before..<part.upperBound)
      }
    }
    // The comma before it becomes a trailing comma, which YAML allows.
    text.erase(part)
  }

  /// The comma behind a part, wherever it is.
  private func comma(behind part: Range<Int>, _ text: EditedText) -> Int? {
    let next = text.skipTrivia(from: part.upperBound)
    return next < text.bytes.count && text.bytes[next] == UInt8(ascii: ",") ? next : nil
  }

  /// The white space before a part that begins a line of its own.
  private func ownIndentation(at part: Int, _ text: EditedText) -> [UInt8]? {
    text.lineStart(part) > range.lowerBound ? text.indentation(before: part) : nil
  }

  /// What is between the last two parts: `,` alone where somebody writes so.
  private func separator(_ text: EditedText) -> [UInt8] {
    guard let last = parts.last, let other = parts.dropLast().last else { return Array(", ".utf8) }
    let between = Array(text.bytes[other.upperBound..<last.lowerBound])
    return between == Array(",".utf8) ? between : Array(", ".utf8)
  }
}
