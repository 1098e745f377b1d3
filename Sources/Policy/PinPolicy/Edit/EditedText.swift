import Diagnostics
import PinFormat

/// A text with its nodes, and replacements of some of its bytes.
struct EditedText {
  let tree: YAMLTree
  private var replacements: [(range: Range<Int>, text: [UInt8])] = []

  init(_ bytes: [UInt8]) throws(PolicyEditError) {
    tree = try YAMLTree(bytes)
  }

  init(_ tree: YAMLTree) {
    self.tree = tree
  }

  var bytes: [UInt8] { tree.bytes }

  mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
    replacements.append((range, text))
  }

  mutating func insert(_ text: [UInt8], at offset: Int) {
    replace(offset..<offset, with: text)
  }

  // An insertion comes before a replaced part at the same offset; insertions at one offset stay in the order in which
  // they were made.
  private var inOrder: [(range: Range<Int>, text: [UInt8])] {
    replacements.enumerated().sorted {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }.map(\.element)
  }

  /// The replacements in order, those that touch as one; nil where two of them overlap.
  var changes: [(range: Range<Int>, text: [UInt8])]? {
    var changes: [(range: Range<Int>, text: [UInt8])] = []
    for (range, text) in inOrder {
      guard let last = changes.last, last.range.upperBound >= range.lowerBound else {
        changes.append((range, text))
        continue
      }
      guard last.range.upperBound == range.lowerBound else { return nil }
      changes[changes.count - 1] = (last.range.lowerBound..<range.upperBound, last.text + text)
    }
    return changes
  }

  /// The text with all replacements made.
  func result() -> [UInt8] {
    var text: [UInt8] = []
    var index = 0
    for (range, replacement) in inOrder {
      precondition(range.lowerBound >= index, "no two edits of one text meet")
      text += bytes[index..<range.lowerBound]
      text += replacement
      index = range.upperBound
    }
    return text + bytes[index...]
  }
}

// MARK: Lines

extension EditedText {
  func lineStart(_ offset: Int) -> Int { tree.lines.lineStart(of: offset) }

  /// The end of a line's text, before its line break.
  func lineEnd(_ offset: Int) -> Int {
    let feed = tree.lines.lineFeed(of: offset) ?? bytes.count
    return feed > offset && bytes[feed - 1] == UInt8(ascii: "\r") ? feed - 1 : feed
  }

  /// The beginning of the next line, or the end of the text.
  func nextLine(_ offset: Int) -> Int { tree.lines.nextLine(after: offset) }

  /// The line break that the lines around an offset end in.
  func lineBreak(near offset: Int) -> [UInt8] {
    let feed = tree.lines.lineFeed(of: offset) ?? tree.lines.lastLineFeed
    guard let feed, feed > 0, bytes[feed - 1] == UInt8(ascii: "\r") else { return [UInt8(ascii: "\n")] }
    return [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }

  /// The white space that a line begins with, where nothing else is before the offset.
  func indentation(before offset: Int) -> [UInt8]? {
    let start = lineStart(offset)
    return bytes[start..<offset].allSatisfy(Self.isBlank) ? Array(bytes[start..<offset]) : nil
  }

  /// Puts lines, each with its indentation, below the line of an offset.
  mutating func addLines(_ lines: [[UInt8]], below offset: Int) {
    let lineBreak = lineBreak(near: offset)
    let next = nextLine(offset)
    let hasBreak = next > 0 && bytes[next - 1] == UInt8(ascii: "\n") && next > offset
    insert(lines.flatMap { hasBreak ? $0 + lineBreak : lineBreak + $0 }, at: next)
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  static func isSpace(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }

  func hasLineBreak(_ range: Range<Int>) -> Bool { bytes[range].contains(UInt8(ascii: "\n")) }
}

// MARK: Comments

extension EditedText {
  /// The comment that begins at an offset.
  func comment(at offset: Int) -> Range<Int>? {
    let number = firstComment(from: offset)
    return number < tree.comments.count && tree.comments[number].lowerBound == offset ? tree.comments[number] : nil
  }

  /// The number of the first comment that begins at an offset or behind it.
  private func firstComment(from offset: Int) -> Int {
    tree.comments.partitioningIndex { $0.lowerBound >= offset }
  }

  func comments(in range: Range<Int>) -> [Range<Int>] {
    Array(
      tree.comments[firstComment(from: range.lowerBound)...].prefix { $0.lowerBound < range.upperBound }
        .filter { $0.upperBound <= range.upperBound })
  }

  /// The comment behind an offset on its line, where nothing else is.
  func comment(behind offset: Int) -> Range<Int>? {
    comment(at: bytes[offset...].firstIndex { !Self.isBlank($0) } ?? bytes.count)
  }

  /// The first byte from an offset on that is neither white space nor part of a comment.
  func skipTrivia(from offset: Int) -> Int {
    var index = offset
    while index < bytes.count {
      if let comment = comment(at: index) {
        index = comment.upperBound
      } else if Self.isSpace(bytes[index]) {
        index += 1
      } else {
        break
      }
    }
    return index
  }

  /// Removes a part of the text, and leaves the comments in it and behind it where they are.
  ///
  /// A line that would be left with nothing goes altogether.
  mutating func erase(_ range: Range<Int>) {
    let kept = comments(in: range)
    let rest = bytes[range.upperBound...].firstIndex { !Self.isBlank($0) } ?? bytes.count
    let endsLine = rest >= lineEnd(range.upperBound)
    let lineBreak = lineBreak(near: range.lowerBound)
    if let indentation = indentation(before: range.lowerBound) {
      let lines = kept.flatMap { indentation + bytes[$0] + lineBreak }
      if endsLine {
        return eraseLines(lineStart(range.lowerBound)..<nextLine(range.upperBound), leaving: lines)
      }
      let begin = lineStart(range.lowerBound)
      let end = comment(at: rest) == nil ? range.upperBound : rest
      return replace(begin..<end, with: lines + indentation)
    }
    guard kept.isEmpty else {
      let indentation = bytes[lineStart(range.lowerBound)...].prefix(while: Self.isBlank)
      let lines = kept.flatMap { bytes[$0] + lineBreak + indentation }
      return replace(range, with: lines)
    }
    var start = range.lowerBound
    while Self.isBlank(bytes[start - 1]) { start -= 1 }
    replace(start..<range.upperBound, with: [])
  }

  /// Removes whole lines; of a last line without line break, the break before it instead.
  mutating func eraseLines(_ range: Range<Int>, leaving lines: [UInt8] = []) {
    let endsInBreak = range.upperBound > 0 && bytes[range.upperBound - 1] == UInt8(ascii: "\n")
    guard !endsInBreak else { return replace(range, with: lines) }
    var lines = lines
    var start = range.lowerBound
    if lines.last == UInt8(ascii: "\n") {
      lines.removeLast(lines.suffix(2) == [UInt8(ascii: "\r"), UInt8(ascii: "\n")] ? 2 : 1)
    } else {
      while start > 0, bytes[start - 1] == UInt8(ascii: "\n") || bytes[start - 1] == UInt8(ascii: "\r") { start -= 1 }
    }
    replace(start..<range.upperBound, with: lines)
  }
}
