/// Lays out one line for a terminal: tabs expanded, unseen characters spelled out, a window cut from a long line.
struct LineLayout {
  var file: FileID
  /// The most cells that a line may take.
  var width: Int

  private static let tabStop = 4
  private static let ellipsis = "…"

  private typealias Piece = (text: String, cells: Range<Int>, columns: Range<Int>, isBlank: Bool)

  /// The line with columns (scalars from 1) marked: at least one cell, at the end of the line if they are beyond it.
  func line(_ number: Int, marking columns: Range<Int>, from reader: inout SourceReader) -> Excerpt.Line? {
    guard let (pieces, isCut) = pieces(of: number, around: columns.lowerBound, from: &reader) else { return nil }
    let end = pieces.last?.cells.upperBound ?? 0
    let marked = pieces.filter { overlaps($0.columns, columns) }
    let start = marked.first?.cells.lowerBound ?? end
    return window(number, pieces, marked: start..<max(start + 1, marked.last?.cells.upperBound ?? 0), isCut)
  }

  /// The line with those of its columns marked that hold more than blanks, or nil where none does.
  func text(_ number: Int, marking columns: Range<Int>, from reader: inout SourceReader) -> Excerpt.Line? {
    guard let (pieces, isCut) = pieces(of: number, around: columns.lowerBound, from: &reader) else { return nil }
    let marked = pieces.filter { !$0.isBlank && columns.overlaps($0.columns) }
    guard let first = marked.first, let last = marked.last else { return nil }
    return window(number, pieces, marked: first.cells.lowerBound..<last.cells.upperBound, isCut)
  }

  private func overlaps(_ piece: Range<Int>, _ columns: Range<Int>) -> Bool {
    columns.isEmpty ? piece.contains(columns.lowerBound) : piece.overlaps(columns)
  }

  /// What lies around a column.
  ///
  /// Of a very long line only that part is read.
  private func pieces(
    of line: Int, around column: Int, from reader: inout SourceReader
  ) -> (pieces: [Piece], isCut: (left: Bool, right: Bool))? {
    let limit = 4 * width
    guard var part = reader.scalars(of: line, in: file, from: max(1, column - 2 * width), limit: limit) else {
      return nil
    }
    if part.scalars.isEmpty, part.column > 1 {
      let from = max(1, part.column - 2 * width)
      part = reader.scalars(of: line, in: file, from: from, limit: limit) ?? part
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: Credentials.hidden(in: Array(part.scalars)))
    var pieces: [Piece] = []
    var cell = 0
    var next = part.column
    for character in String(text) {
      if character == "\t" {
        let size = Self.tabStop - cell % Self.tabStop
        pieces.append((String(repeating: " ", count: size), cell..<cell + size, next..<next + 1, true))
        cell += size
        next += 1
        continue
      }
      for piece in VisibleText.pieces(of: character) {
        pieces.append((piece.text, cell..<cell + piece.width, next..<next + piece.scalars, piece.isBlank))
        cell += piece.width
        next += piece.scalars
      }
    }
    return (pieces, (part.column > 1, !part.isComplete))
  }

  /// Cuts out what fits, with the marked cells in sight.
  private func window(
    _ number: Int, _ pieces: [Piece], marked: Range<Int>, _ isCut: (left: Bool, right: Bool)
  ) -> Excerpt.Line {
    let end = pieces.last?.cells.upperBound ?? 0
    if end <= width, !isCut.left, !isCut.right {
      return Excerpt.Line(number: number, text: pieces.map(\.text).joined(), marked: marked)
    }
    var from = 0
    if isCut.left || marked.upperBound > width - 1 {
      from = max(0, marked.lowerBound - max(width / 8, (width - marked.count) / 2))
    }
    let shown = pieces.filter { $0.cells.lowerBound >= from && $0.cells.upperBound <= from + width }
    let first = shown.first?.cells.lowerBound ?? from
    let left = isCut.left || first > 0 ? Self.ellipsis : ""
    let right = isCut.right || (shown.last?.cells.upperBound ?? end) < end ? Self.ellipsis : ""
    let shift = left.count - first
    let start = max(0, marked.lowerBound + shift)
    let stop = min(marked.upperBound, shown.last?.cells.upperBound ?? marked.upperBound) + shift
    return Excerpt.Line(
      number: number, text: left + shown.map(\.text).joined() + right, marked: start..<max(start + 1, stop))
  }
}
