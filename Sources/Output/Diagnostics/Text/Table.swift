/// Rows of text in aligned columns, two spaces between them.
package struct Table {
  private var rows: [[String]] = []

  package init() {}

  package mutating func add(_ cells: String...) { add(cells) }

  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The rows, each ended by a line break, with `indent` spaces before them.
  package func text(indent: Int = 0) -> String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
