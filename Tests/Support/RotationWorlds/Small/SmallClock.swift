/// When things happen in small worlds: the releases, the window, and with them the servers that are asked about.
///
/// Only the order of instants matters to the model: which releases and changes come before which end of a run, and
/// which fall on one instant. So of all clocks with whole ticks one is kept for each order.
package struct SmallClock: Hashable, Sendable {
  /// What one server presents from when on: key 1 first.
  package struct Timeline: Hashable, Sendable {
    package var changes: [Int]
    /// One more than there are changes; no two in a row alike.
    package var keys: [Int]
  }

  /// The number of releases that are out; the one after them is the candidate, released at 0, which is now.
  package var released: Int
  package var issued: [Int]
  package var window: Int
  package var end: Int
  package var timelines: [Timeline]

  /// One clock for each order of instants, those with the same releases and window together.
  ///
  /// - Parameters:
  ///   - released: How many releases are out.
  ///   - planned: How many are to come after the candidate.
  ///   - changes: How many times a server changes.
  ///   - span: How far from now instants are tried, and windows; more than is needed finds no further order.
  /// - Returns: The clocks.
  package static func all(released: Int, planned: Int, changes: ClosedRange<Int>, span: Int) -> [SmallClock] {
    var seen: Set<[Int]> = []
    var clocks: [SmallClock] = []
    for window in 0...span {
      for past in rising(released, in: -span...(-1)) {
        for future in rising(planned, in: 1...span) {
          let issued = past + [0] + future
          let ends = issued.dropFirst().map { max(-1, $0 + window) }
          var timelines: [Timeline] = []
          for count in changes {
            // Changes may come after everything else, and between any two other instants.
            for instants in rising(count, in: 1...(2 * span + count)) {
              guard seen.insert(order(of: [0] + future + ends + instants, count)).inserted else { continue }
              timelines += keys(count).map { Timeline(changes: instants, keys: $0) }
            }
          }
          guard !timelines.isEmpty else { continue }
          let last = (ends + future + timelines.flatMap(\.changes)).max() ?? 0
          clocks.append(
            SmallClock(released: released, issued: issued, window: window, end: last + 2, timelines: timelines))
        }
      }
    }
    return clocks
  }

  /// The rank of each instant among them, which all clocks of one order have in common.
  private static func order(of instants: [Int], _ count: Int) -> [Int] {
    let sorted = Set(instants + [-1, 0]).sorted()
    return [count] + instants.map { sorted.firstIndex(of: $0) ?? 0 }
  }

  /// Every rising list of so many numbers.
  private static func rising(_ count: Int, in range: ClosedRange<Int>) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return range.flatMap { first in
      first < range.upperBound || count == 1
        ? (count == 1 ? [[first]] : rising(count - 1, in: (first + 1)...range.upperBound).map { [first] + $0 }) : []
    }
  }

  /// The keys that can be presented one after the other, apart from their names: a new one has the next number.
  private static func keys(_ changes: Int) -> [[Int]] {
    var lists = [[1]]
    for _ in 0..<changes {
      lists = lists.flatMap { list in
        (1...min(3, (list.max() ?? 0) + 1)).filter { $0 != list.last }.map { list + [$0] }
      }
    }
    return lists
  }
}

extension SmallClock {
  /// One of the worlds of this clock, for the oracle of all worlds.
  ///
  /// - Parameters:
  ///   - contents: What each release says.
  ///   - timeline: What the child presents.
  /// - Returns: The world.
  package func world(_ contents: [SmallContent], _ timeline: Timeline) -> PlainWorld {
    let releases = zip(issued, contents).enumerated().map { number, release in
      release.1.release(
        number < released ? .released : number == released ? .candidate : .planned, issued: release.0)
    }
    let phases = zip([-100] + timeline.changes, timeline.keys).map { begin, key in
      PlainPhase(begin == -100 ? .observed : .planned, at: begin, [key])
    }
    return PlainWorld(
      end: end, window: window, releases: releases, servers: [PlainServer(SmallContent.childHost, phases)])
  }
}
