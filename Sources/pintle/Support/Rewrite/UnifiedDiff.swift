/// What differs between two texts, as `diff -u` writes it and `patch` takes it.
struct UnifiedDiff {
  private enum Line {
    case same(ArraySlice<UInt8>)
    case gone(ArraySlice<UInt8>)
    case new(ArraySlice<UInt8>)
  }

  private let lines: [Line]
  private let path: String
  private static let context = 3

  /// Compares two versions of a file.
  init(_ path: String, from before: [UInt8], to after: [UInt8]) {
    self.path = path
    let old = Self.lines(of: before)
    let new = Self.lines(of: after)
    // Common ends first: an edit is small and a policy may be long.
    let head = zip(old, new).prefix { $0.elementsEqual($1) }.count
    let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0.elementsEqual($1) }.count
    let middle = Self.compare(old[head..<old.count - tail], new[head..<new.count - tail])
    lines = old[..<head].map { .same($0) } + middle + old[(old.count - tail)...].map { .same($0) }
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

  private static func compare(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> [Line] {
    // Lines are compared as bytes: two ways of writing one character are two lines.
    var gone: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): gone.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var place = 0
    for (offset, line) in new.enumerated() {
      while gone.remove(place) != nil {
        lines.append(.gone(old[old.startIndex + place]))
        place += 1
      }
      if added.contains(offset) {
        lines.append(.new(line))
      } else {
        lines.append(.same(line))
        place += 1
      }
    }
    lines += old.dropFirst(place).map { .gone($0) }
    return lines
  }

  /// The difference; empty where there is none.
  var text: String {
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
    return "--- a/\(path)\n+++ b/\(path)\n" + hunks.map(hunk).joined()
  }

  private func hunk(_ range: Range<Int>) -> String {
    let (oldStart, newStart) = counts(in: 0..<range.lowerBound)
    let (oldCount, newCount) = counts(in: range)
    let body = lines[range].map { line in
      switch line {
      case .same(let text): Self.written(" ", text)
      case .gone(let text): Self.written("-", text)
      case .new(let text): Self.written("+", text)
      }
    }
    return "@@ -\(Self.range(oldStart, oldCount)) +\(Self.range(newStart, newCount)) @@\n" + body.joined()
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
    // Of nothing, the line before it is named.
    let start = count == 0 ? before : before + 1
    return count == 1 ? "\(start)" : "\(start),\(count)"
  }

  private static func written(_ mark: String, _ line: ArraySlice<UInt8>) -> String {
    let text = mark + String(decoding: line, as: UTF8.self)
    return line.last == UInt8(ascii: "\n") ? text : text + "\n\\ No newline at end of file\n"
  }
}
