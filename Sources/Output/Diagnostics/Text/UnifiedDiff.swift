/// What differs between two texts, as `diff -u` writes it and `patch` takes it.
package struct UnifiedDiff {
  private let lines: [LineDifference.Line]
  private let path: String
  private static let context = 3

  /// Compares two versions of a file.
  package init(_ path: String, from before: [UInt8], to after: [UInt8]) {
    self.path = path
    lines = LineDifference(from: Self.lines(of: before), to: Self.lines(of: after)).lines
  }

  /// The lines of a text, each with its line break.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...feed])
      rest = rest[(feed + 1)...]
    }
    if !rest.isEmpty { lines.append(rest) }
    return lines
  }

  /// The difference; empty where there is none.
  package var text: String {
    let changed = lines.indices.filter { if case .same = lines[$0] { false } else { true } }
    guard !changed.isEmpty else { return "" }
    var hunks: [Range<Int>] = []
    for index in changed {
      let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
      if let last = hunks.last, last.upperBound >= range.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    var text = "--- a/\(path)\n+++ b/\(path)\n"
    var (end, start) = (0, (old: 0, new: 0))
    for range in hunks {
      let skipped = counts(in: end..<range.lowerBound)
      start = (start.old + skipped.old, start.new + skipped.new)
      let count = counts(in: range)
      text += hunk(range, from: start, count)
      (end, start) = (range.upperBound, (start.old + count.old, start.new + count.new))
    }
    return text
  }

  private func hunk(_ range: Range<Int>, from start: (old: Int, new: Int), _ count: (old: Int, new: Int)) -> String {
    let body = lines[range].map { line in
      switch line {
      case .same(let text): Self.written(" ", text)
      case .gone(let text): Self.written("-", text)
      case .new(let text): Self.written("+", text)
      }
    }
    return "@@ -\(Self.range(start.old, count.old)) +\(Self.range(start.new, count.new)) @@\n" + body.joined()
  }

  private func counts(in range: Range<Int>) -> (old: Int, new: Int) {
    lines[range].reduce(into: (old: 0, new: 0)) { counts, line in
      switch line {
      case .same: counts = (counts.old + 1, counts.new + 1)
      case .gone: counts.old += 1
      case .new: counts.new += 1
      }
    }
  }

  private static func range(_ before: Int, _ count: Int) -> String {
    // An empty range is written with the number of the line before it.
    let start = count == 0 ? before : before + 1
    return count == 1 ? "\(start)" : "\(start),\(count)"
  }

  private static func written(_ mark: String, _ line: ArraySlice<UInt8>) -> String {
    let text = mark + String(decoding: line, as: UTF8.self)
    return line.last == UInt8(ascii: "\n") ? text : text + "\n\\ No newline at end of file\n"
  }
}
