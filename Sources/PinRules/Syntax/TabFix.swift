import Diagnostics
import PinPolicy

/// Spaces for the tabs of a line.
enum TabFix {
  /// Writes spaces for the tabs of a line.
  ///
  /// Between values and comments a tab is a space, which is safe. Where tabs indent, they are two spaces each; that is
  /// safe where the file is indented with nothing else, so that no line can come to belong to another one. What else is
  /// on such a line is seen once the file can be taken apart.
  static func fixes(at place: Place, in input: CheckInput) -> [Fix] {
    guard Int(place.file.index) < input.policy.sources.files.count else { return [] }
    let bytes = input.policy.sources[place.file].bytes
    let line = input.policy.sources.line(place.start.line, of: place.file) ?? ""
    let scalars = Array(line.unicodeScalars)
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
    let isSafe = isIndenting ? indentsWithTabsAlone(bytes) : !isInText
    return .fix("write spaces", isSafe ? .safe : .suggested, edits)
  }

  private static func indentsWithTabsAlone(_ bytes: [UInt8]) -> Bool {
    let tab = UInt8(ascii: "\t")
    let space = UInt8(ascii: " ")
    return bytes.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
      let blank = line.prefix { $0 == space || $0 == tab }
      // Behind a dash, the fields of an item are indented by the dash and a space.
      let isItem = line.dropFirst(blank.count).first == UInt8(ascii: "-")
      return blank.allSatisfy { $0 == tab } && !isItem || blank.count == line.count
    }
  }
}
