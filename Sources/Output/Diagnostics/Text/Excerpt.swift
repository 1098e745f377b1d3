/// The lines of a place, each with the cells to underline.
struct Excerpt {
  /// One line as it is shown.
  struct Line {
    var number: Int
    var text: String
    /// The cells of `text` to underline.
    var marked: Range<Int>
  }

  /// One row of the excerpt.
  enum Row {
    case line(Line)
    /// Lines left out.
    case gap
  }

  var rows: [Row] = []

  /// How many lines of a longer place are shown at its beginning.
  private static let linesShown = 3
  /// How many blank lines are passed in search of one that says something.
  private static let blankLinesPassed = 64

  /// Empty where the place lies outside its file, or where the file has no text: it may not even be one that was read.
  init(of place: Place, width: Int, from reader: inout SourceReader) {
    guard reader.hasText(place.file) else { return }
    let count = reader.lineCount(of: place.file)
    let first = max(1, Int(place.start.line))
    guard first <= count else { return }
    let start = max(1, Int(place.start.column))
    let end = max(place.start, place.end)
    let last = min(Int(end.line), count)
    let endColumn = Int(end.line) > count ? Int.max : max(1, Int(end.column))
    let layout = LineLayout(file: place.file, width: width)
    guard last > first else {
      let columns = start..<max(start, Int(end.line) > first ? Int.max : endColumn)
      if let line = layout.line(first, marking: columns, from: &reader) { rows = [.line(line)] }
      return
    }
    var shown: [Line] = []
    for number in first...min(last, first + Self.blankLinesPassed) where shown.count < Self.linesShown {
      let columns = (number == first ? start : 1)..<max(start, number == last ? endColumn : Int.max)
      if let line = layout.text(number, marking: columns, from: &reader) { shown.append(line) }
    }
    let next = (shown.last?.number ?? first) + 1
    var tail: Line?
    for number in stride(from: last, through: max(next, last - Self.blankLinesPassed), by: -1) where tail == nil {
      tail = layout.text(number, marking: 1..<(number == last ? endColumn : Int.max), from: &reader)
    }
    if let tail { shown.append(tail) }
    var before: Int?
    for line in shown {
      if let before, line.number > before + 1 { rows.append(.gap) }
      rows.append(.line(line))
      before = line.number
    }
    if rows.isEmpty, let line = layout.line(first, marking: start..<start, from: &reader) { rows = [.line(line)] }
  }

  /// The greatest line number shown.
  var lastNumber: Int {
    rows.reduce(0) { greatest, row in
      if case .line(let line) = row { max(greatest, line.number) } else { greatest }
    }
  }
}
