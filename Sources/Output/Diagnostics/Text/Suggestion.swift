/// Guesses what a name that doesn't exist was meant to be.
package enum Suggestion {
  /// The known name that a person most probably meant, or nil where none is near.
  ///
  /// Names that differ only in case, hyphens and underscores are the nearest: `reportURIs` is `report-uris`. Otherwise
  /// one slip in every three letters is forgiven, and neighbouring letters that changed places count as one slip.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let wanted = folded(name)
    var best: (distance: Int, name: String)?
    for candidate in known.prefix(mostCandidates) where candidate != name {
      let letters = folded(candidate)
      let limit = min(max(wanted.count, letters.count) / 3, (best?.distance ?? .max) - 1)
      guard limit >= 0, abs(letters.count - wanted.count) <= limit else { continue }
      if let distance = distance(wanted, letters, atMost: limit) { best = (distance, candidate) }
    }
    return best?.name
  }

  /// `Did you mean 'x'?` where a known name is near, or else what the caller says.
  package static func help(_ name: String, among known: [String], else otherwise: @autoclosure () -> String) -> String {
    nearest(to: name, among: known).map { "Did you mean '\($0)'?" } ?? otherwise()
  }

  /// True where one slip, or other spelling of hyphens and capitals, makes a name of another, and of no other known one.
  ///
  /// With another letter in it a short name is a word of its own, `node` for `mode`, and no slip.
  package static func isOneSlip(from name: String, to meant: String, among known: [String]) -> Bool {
    let wanted = folded(name)
    let near = known.prefix(mostCandidates).filter { distance(wanted, folded($0), atMost: 1) != nil }
    guard near == [meant] else { return false }
    let letters = folded(meant)
    return letters.count > 5 || letters.count != wanted.count || letters.sorted() == wanted.sorted()
  }

  /// True where two names differ in capitals, hyphens and underscores at most.
  package static func isSameSpelling(_ name: String, _ other: String) -> Bool { folded(name) == folded(other) }

  /// So many names are compared at most.
  private static let mostCandidates = 10_000

  private static func folded(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }

  /// The fewest insertions, deletions, replacements and swaps of neighbours that turn one into the other; nil where it
  /// takes more than `limit`.
  private static func distance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for column in right.indices {
        let same = left[row] == right[column]
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (same ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      // A swap uses the row before the previous one, so stop only after two rows above the limit.
      guard min(current.min() ?? 0, last.min() ?? 0) <= limit else { return nil }
      beforeLast = last
      last = current
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}

extension Suggestion {
  /// The guesses of one run of a rule: a policy with more slips than these has another trouble than spelling.
  package struct Guesses {
    private var left = 100

    package init() {}

    package mutating func help(
      _ name: String, among known: [String], else otherwise: @autoclosure () -> String
    ) -> String {
      guard left > 0 else { return otherwise() }
      left -= 1
      return Suggestion.help(name, among: known, else: otherwise())
    }
  }
}
