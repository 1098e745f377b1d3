import PinFormat

/// Small worlds on untidy days, numbered: chains that have expired or lead to no known end, servers of which nobody
/// knows what they present, releases that are stale, entries that end, and entries that ask for two keys.
///
/// One server, one release that is out and the candidate; keys 1 and 2 stand at the leaf, 4 and 5 at the root.
package enum UntidySpace {
  /// What a release says of the host.
  private static let contents: [[PlainEntry]] = [
    [],
    [entry([1])],
    [entry([2])],
    [entry([1, PlainKey(2, backup: true)])],
    [entry([1, 4])],
    [entry([PlainKey(4, .root), PlainKey(5, .root)])],
    [entry([1, 4], .leafAndCA)],
    [entry([2, 4], .leafAndCA)],
    [entry([1, 2, 4, PlainKey(5, backup: true)], .leafAndCA)],
    [entry([1, PlainKey(4, .root), PlainKey(5, .root)], .leafAndCA)],
  ]

  /// What the server presents at first.
  private static let firsts: [PlainPhase] = [
    PlainPhase(.observed, at: -9, [PlainView([.chain([1, 4])])]),
    PlainPhase(.observed, at: -9, [PlainView([.chain([1, 4]), .chain([2, 4])])]),
    PlainPhase(.observed, at: -9, [PlainView([.refused([1, 4])])]),
    PlainPhase(.observed, at: -9, [PlainView([.refused([1, 0])])]),
    PlainPhase(.observed, at: -9, [PlainView([.refused([1, 4]), .chain([2, 4])])]),
    PlainPhase(.observed, at: -9, [PlainView([.chain([1, 4], until: 3)])]),
    PlainPhase(.assumed, at: -9, [PlainView([.chain([1, 4])])]),
    PlainPhase(.assumed, at: -9, [PlainView([.chain([1, 4]), .chain([2, 4])])]),
    PlainPhase(.assumed, at: -9, [PlainView([.chain([1, 4]), .chain([1, 5])])]),
    PlainPhase(.assumed, at: -9, [PlainView([.chain([1, 0]), .chain([0, 4])])]),
  ]

  /// What it is planned to present from tick 2 on; nil for no change.
  private static let changes: [[PlainLanding]?] = [
    nil, [.chain([2, 4])], [.chain([0, 5])], [.chain([1, 5]), .chain([2, 5])], [.refused([2, 4])],
  ]

  /// When the release that is out goes stale, and what then happens.
  private static let stale: [(expires: Int, action: ExpiryAction)?] = [
    nil, (-1, .block), (-1, .enforce), (-1, .unpinned), (3, .block),
  ]

  /// When the candidate's entry ends, and what then happens.
  private static let ends: [(expires: Int, action: ExpiryAction)?] = [
    nil, (-2, .block), (3, .block), (3, .reportOnly),
  ]

  private static let windows = [0, 4]

  /// How many worlds there are.
  package static let count =
    contents.count * contents.count * firsts.count * changes.count * stale.count * ends.count * windows.count

  /// The world of a number below ``count``.
  package static func world(_ number: Int) -> PlainWorld {
    var rest = number
    func pick<Item>(_ items: [Item]) -> Item {
      defer { rest /= items.count }
      return items[rest % items.count]
    }
    let (old, new, first, change) = (pick(contents), pick(contents), pick(firsts), pick(changes))
    let (stale, end, window) = (pick(Self.stale), pick(ends), pick(windows))
    let planned = change.map {
      PlainPhase(.planned, at: 2, isUncertain: first.isUncertain, [PlainView($0)])
    }
    let ended = new.map { entry in
      var entry = entry
      (entry.expires, entry.onExpiry) = (end?.expires, end?.action)
      return entry
    }
    return PlainWorld(
      end: 7, window: window,
      releases: [
        PlainRelease(.released, issued: -3, old, expires: stale?.expires, onStale: stale?.action ?? .enforce),
        PlainRelease(.candidate, issued: 0, ended),
      ],
      servers: [PlainServer(host, [first] + (planned.map { [$0] } ?? []))])
  }

  private static let host = "a.test"

  private static func entry(_ keys: [PlainKey], _ requirement: Requirement = .any) -> PlainEntry {
    PlainEntry(host, keys: keys, requirement)
  }

  /// Compares some of the worlds.
  ///
  /// - Parameters:
  ///   - numbers: Which.
  ///   - mistake: What the oracle does wrong.
  /// - Returns: The tally; a world that differs is given as Swift, for Regressions.swift.
  /// - Throws: What the validator says of a manifest that it doesn't take.
  package static func compare(
    _ numbers: some Sequence<Int>, mistake: Oracle.Mistake? = nil
  ) throws -> SmallSpace.Tally {
    let forge = try Forge()
    var tally = SmallSpace.Tally()
    for number in numbers { try tally.compare(world(number), forge, mistake: mistake) }
    return tally
  }
}
