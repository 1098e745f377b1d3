/// Many names in few lines, of which none is left out: as in a shell, `svc{01..30}.example.com` stands for 30 names, and
/// `{api, login, www}.example.com` for three.
package enum FoldedNames {
  private static let (open, dots, close) = ("{", "..", "}")
  /// Fewer names than this in a row are written one by one.
  private static let least = 3
  private static let comma = ", "

  /// The names in lines of about so many characters, in the order of the first of each row.
  package static func lines(_ names: [String], width: Int) -> [String] {
    LineWrap.lines(shared(rows(names)).joined(separator: comma), width: width)
  }

  /// The names that lines stand for.
  package static func names(in lines: [String]) -> [String] {
    names(of: lines.joined(separator: " "))
  }

  /// A name without the last number of its first label.
  private struct Pattern: Hashable {
    var before: String
    var digits: Int
    var after: String

    func name(_ number: Int) -> String { before + padded(number) + after }

    func row(_ first: Int, _ last: Int) -> String {
      before + FoldedNames.open + padded(first) + FoldedNames.dots + padded(last) + FoldedNames.close + after
    }

    private func padded(_ number: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
  }

  /// Names that differ in a number are one word.
  private static func rows(_ names: [String]) -> [String] {
    var members: [Pattern: [(number: Int, place: Int)]] = [:]
    for (place, name) in names.enumerated() {
      if let (pattern, number) = split(name) { members[pattern, default: []].append((number, place)) }
    }
    var words: [Int: String] = [:]
    var isFolded = Array(repeating: false, count: names.count)
    for (pattern, members) in members {
      var rest = members.sorted { $0.number < $1.number }[...]
      while let first = rest.first {
        let row = rest.enumerated().prefix { $0.element.number == first.number + $0.offset }.map(\.element)
        rest = rest.dropFirst(row.count)
        guard row.count >= least, let place = row.map(\.place).min() else { continue }
        words[place] = pattern.row(first.number, first.number + row.count - 1)
        for member in row { isFolded[member.place] = true }
      }
    }
    return names.enumerated().compactMap { words[$0.offset] ?? (isFolded[$0.offset] ? nil : $0.element) }
  }

  /// Words below one domain share it.
  private static func shared(_ words: [String]) -> [String] {
    let domains = Dictionary(grouping: words) { $0[firstLabelEnd($0)...] }
    var seen: Set<Substring> = []
    return words.compactMap { word in
      let domain = word[firstLabelEnd(word)...]
      guard let members = domains[domain], members.count >= least, !domain.isEmpty else { return word }
      guard seen.insert(domain).inserted else { return nil }
      return open + members.map { $0.dropLast(domain.count) }.joined(separator: comma) + close + domain
    }
  }

  /// Where the first label of a name ends, or of a word that stands for several.
  private static func firstLabelEnd(_ word: String) -> String.Index {
    let start =
      word.firstRange(of: close)?.upperBound ?? word.index(word.startIndex, offsetBy: word.hasPrefix("*.") ? 2 : 0)
    return word[start...].firstIndex(of: ".") ?? word.endIndex
  }

  private static func split(_ name: String) -> (Pattern, Int)? {
    let end = firstLabelEnd(name)
    guard let last = name[..<end].lastIndex(where: \.isDigit) else { return nil }
    let digits = name[...last].reversed().prefix(while: \.isDigit).count
    let start = name.index(last, offsetBy: 1 - digits)
    guard digits < 18, let number = Int(name[start...last]) else { return nil }
    let after = name.index(after: last)
    return (Pattern(before: String(name[..<start]), digits: digits, after: String(name[after...])), number)
  }

  /// The names of words with commas between them.
  private static func names(of text: String) -> [String] {
    var words: [String] = []
    var depth = 0
    for part in text.split(separator: comma) {
      if depth == 0 { words.append(String(part)) } else { words[words.count - 1] += comma + part }
      depth += part.count { String($0) == open } - part.count { String($0) == close }
    }
    return words.flatMap { word in
      guard word.hasPrefix(open), let close = word.lastIndex(where: { String($0) == close }), word.contains(comma)
      else { return row(word) }
      return names(of: String(word[word.index(after: word.startIndex)..<close])).map {
        $0 + word[word.index(after: close)...]
      }
    }
  }

  private static func row(_ word: String) -> [String] {
    guard let start = word.firstRange(of: open), let end = word.firstRange(of: close),
      let between = word[start.upperBound...].firstRange(of: dots),
      let first = Int(word[start.upperBound..<between.lowerBound]),
      let last = Int(word[between.upperBound..<end.lowerBound]),
      first <= last
    else { return [word] }
    let pattern = Pattern(
      before: String(word[..<start.lowerBound]), digits: word[start.upperBound..<between.lowerBound].count,
      after: String(word[end.upperBound...]))
    return (first...last).map(pattern.name)
  }
}

extension Character {
  fileprivate var isDigit: Bool { isASCII && isNumber }
}
