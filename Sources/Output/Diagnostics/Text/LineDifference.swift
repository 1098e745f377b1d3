import PinFormat

/// Which lines two texts share, in order.
///
/// Lines are compared as bytes: two ways of writing one character are two lines.
struct LineDifference {
  enum Line {
    case same(ArraySlice<UInt8>)
    case gone(ArraySlice<UInt8>)
    case new(ArraySlice<UInt8>)
  }

  private(set) var lines: [Line] = []
  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]

  /// Texts of more lines are taken apart first: the time to compare grows with the lines times the changes.
  private static let mostAtOnce = 2_000

  init(from old: [ArraySlice<UInt8>], to new: [ArraySlice<UInt8>]) {
    self.old = old
    self.new = new
    compare(old.indices, new.indices)
  }

  private mutating func compare(_ before: Range<Int>, _ after: Range<Int>) {
    // Common ends first: most edits are small, and a policy may be long.
    let head = zip(old[before], new[after]).prefix { $0.elementsEqual($1) }.count
    let before = before.dropFirst(head)
    let after = after.dropFirst(head)
    let tail = zip(old[before].reversed(), new[after].reversed()).prefix { $0.elementsEqual($1) }.count
    keep(before.startIndex - head..<before.startIndex)
    compareMiddle(before.dropLast(tail), after.dropLast(tail))
    keep(before.endIndex - tail..<before.endIndex)
  }

  private mutating func compareMiddle(_ before: Range<Int>, _ after: Range<Int>) {
    guard before.count + after.count > Self.mostAtOnce else { return compareAtOnce(before, after) }
    let anchors = anchors(before, after)
    guard !anchors.isEmpty else {
      // Without a common line, the whole part is replaced.
      lines += old[before].map { .gone($0) } + new[after].map { .new($0) }
      return
    }
    var (start, newStart) = (before.lowerBound, after.lowerBound)
    for anchor in anchors {
      compare(start..<anchor.old, newStart..<anchor.new)
      keep(anchor.old..<anchor.old + 1)
      (start, newStart) = (anchor.old + 1, anchor.new + 1)
    }
    compare(start..<before.upperBound, newStart..<after.upperBound)
  }

  private mutating func keep(_ range: Range<Int>) { lines += old[range].map { .same($0) } }

  private mutating func compareAtOnce(_ before: Range<Int>, _ after: Range<Int>) {
    let (old, new) = (old[before], new[after])
    var gone: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): gone.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
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
  }

  /// Lines that each text has once, as many as come in one order in both: what a reader takes for unchanged, too.
  private func anchors(_ before: Range<Int>, _ after: Range<Int>) -> [(old: Int, new: Int)] {
    let (places, others) = (Self.single(old[before]), Self.single(new[after]))
    let pairs = after.compactMap { index -> (old: Int, new: Int)? in
      guard others[new[index]] != .some(nil), let place = places[new[index]] ?? nil else { return nil }
      return (place, index)
    }
    return Self.longestRise(pairs)
  }

  /// The places of lines; nil for those that are there twice.
  private static func single(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>: Int?] {
    Dictionary(lines.indices.map { (lines[$0], $0) }, uniquingKeysWith: { _, _ in nil })
  }

  /// The most pairs whose old places rise as their new ones do.
  private static func longestRise(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    // For each length, the pair that ends the best such row (the one with the lowest end); for each pair, its
    // predecessor.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, pair) in pairs.enumerated() {
      let length = ends.partitioningIndex { pairs[$0].old >= pair.old }
      previous.append(length > 0 ? ends[length - 1] : nil)
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var row: [(old: Int, new: Int)] = []
    var next = ends.last
    while let index = next {
      row.append(pairs[index])
      next = previous[index]
    }
    return row.reversed()
  }
}
