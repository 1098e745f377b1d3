import PinFormat

/// Small worlds with each pair of places in the chain, numbered: key 1 is presented, key 2 comes in its place, and each
/// is at the leaf, an intermediate or the root.
///
/// One server, two releases that are out and the candidate, with an entry that either key satisfies.
package enum PairSpace {
  private static let places: [ChainPosition] = [.leaf, .intermediate, .root]

  /// Which keys a release lists: as active, and as backups.
  private static let lists: [(active: [Int], backup: [Int])] = [
    ([], []), ([1], []), ([1], [2]), ([1, 2], []), ([2], [1]), ([2], []),
  ]

  /// Which keys the server may present at first, each in a chain of its own.
  private static let presented: [[Int]] = [[1], [2], [1, 2]]

  /// What it is planned to present from tick 2 on; 0 for no change.
  private static let changes = [0, 1, 2]

  /// In the second one, no client runs the older release any more.
  private static let windows = [4, 1]

  /// How many worlds there are.
  package static let count =
    places.count * places.count * lists.count * lists.count * lists.count * presented.count * 2 * changes.count
    * windows.count

  /// The world of a number below ``count``.
  package static func world(_ number: Int) -> PlainWorld {
    var rest = number
    func pick<Item>(_ items: [Item]) -> Item {
      defer { rest /= items.count }
      return items[rest % items.count]
    }
    let pair = [pick(places), pick(places)]
    func entries(_ list: (active: [Int], backup: [Int])) -> [PlainEntry] {
      let keys =
        list.active.map { PlainKey($0, pair[$0 - 1]) } + list.backup.map { PlainKey($0, pair[$0 - 1], backup: true) }
      return keys.isEmpty ? [] : [PlainEntry(host, keys: keys)]
    }
    func chain(_ key: Int) -> PlainLanding {
      switch pair[key - 1] {
      case .leaf: .chain([key, 0])
      case .intermediate: .chain([0, key, 0])
      case .root: .chain([0, key])
      }
    }
    let (older, newest, candidate) = (pick(lists), pick(lists), pick(lists))
    let (first, isAssumed, change) = (pick(presented), pick([true, false]), pick(changes))
    var phases = [PlainPhase(isAssumed ? .assumed : .observed, at: -9, [PlainView(first.map(chain))])]
    if change != 0 { phases.append(PlainPhase(.planned, at: 2, isUncertain: isAssumed, [PlainView([chain(change)])])) }
    return PlainWorld(
      end: 7, window: pick(windows),
      releases: [
        PlainRelease(.released, issued: -3, entries(older)), PlainRelease(.released, issued: -1, entries(newest)),
        PlainRelease(.candidate, issued: 0, entries(candidate)),
      ], servers: [PlainServer(host, phases)])
  }

  private static let host = "a.test"

  /// Compares some of the worlds, as ``UntidySpace`` does.
  package static func compare(
    _ numbers: some Sequence<Int>, mistake: Oracle.Mistake? = nil
  ) throws -> SmallSpace.Tally {
    let forge = try Forge()
    var tally = SmallSpace.Tally()
    for number in numbers { try tally.compare(world(number), forge, mistake: mistake) }
    return tally
  }
}
