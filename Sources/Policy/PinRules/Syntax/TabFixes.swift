import Diagnostics
import PinPolicy

/// Spaces for tabs, line by line; of each file what counts for all of its lines is found out once.
struct TabFixes {
  /// What a file's lines have in common.
  private struct Text {
    let bytes: [UInt8]
    let lines: LineOffsets
    let indentsWithTabsAlone: Bool

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      lines = LineOffsets(bytes)
      indentsWithTabsAlone = TabFixes.indentsWithTabsAlone(bytes)
    }
  }

  private let input: CheckInput
  private var texts: [FileID: Text] = [:]

  init(_ input: CheckInput) {
    self.input = input
  }

  /// Writes spaces for the tabs of a line.
  ///
  /// Between values and comments a tab is a space, which is safe. Where tabs indent, they are two spaces each; that is
  /// safe where the file is indented with nothing else, so that no line can come to belong to another one. What else is
  /// on such a line is seen once the file can be taken apart.
  mutating func fixes(at place: Place) -> [Fix] {
    guard Int(place.file.index) < input.policy.sources.files.count else { return [] }
    let text = texts[place.file] ?? Text(input.policy.sources[place.file].bytes)
    texts[place.file] = text
    let start = text.lines.offset(of: Position(line: Int(place.start.line), column: 1))
    let end = text.lines.lineFeed(of: start) ?? text.bytes.count
    let scalars = Array(String(decoding: text.bytes[start..<end], as: UTF8.self).unicodeScalars)
    let indent = scalars.prefix { $0 == " " || $0 == "\t" }.count
    let isIndenting = scalars[..<indent].contains("\t")
    let tabs = scalars.indices.filter { scalars[$0] == "\t" && (!isIndenting || $0 < indent) }
    let edits = tabs.map { column in
      let start = Position(line: Int(place.start.line), column: column + 1)
      let end = Position(line: Int(place.start.line), column: column + 2)
      let spaces = column < indent ? "  " : " "
      return Fix.Edit(replacing: Place(file: place.file, start: start, end: end), with: spaces)
    }
    let file = input.file(of: place)
    let isInText = edits.contains { file?.isInQuotes($0.place) ?? true }
    let isSafe = isIndenting ? text.indentsWithTabsAlone : !isInText
    return .fix("write spaces", isSafe ? .safe : .suggested, edits)
  }

  private static func indentsWithTabsAlone(_ bytes: [UInt8]) -> Bool {
    let tab = UInt8(ascii: "\t")
    let space = UInt8(ascii: " ")
    return bytes.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
      let blank = line.prefix { $0 == space || $0 == tab }
      // After a dash, the item's fields are indented by the dash and a space.
      let isItem = line.dropFirst(blank.count).first == UInt8(ascii: "-")
      return blank.allSatisfy { $0 == tab } && !isItem || blank.count == line.count
    }
  }
}
