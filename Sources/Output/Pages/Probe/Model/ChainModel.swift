import PinFormat
import PinProbe
import PinValidator

/// A served chain and all that clients make of it, as it is drawn: the paths from the leaf upwards, as a tree.
///
/// Two hosts that show the same chain, judged alike, have equal models, and share a drawing.
struct ChainModel: Hashable {
  /// A certificate, and what is above it.
  struct Node: Hashable {
    var certificate: SHA256Digest
    /// The policy's keys that are here, each once.
    var matches: [KeyMatch] = []
    var above: [Node] = []
    /// The paths that end here.
    var ends: [End] = []
  }

  /// What trust stores make of a path that ends here.
  struct End: Hashable {
    var state: PathState
    var stores: [String]
    /// What trust evaluation found wrong, for people.
    var failures: [String]
    /// What an exception of the policy excused.
    var excused: [String]
  }

  /// So many paths are drawn.
  static let mostPaths = 24

  /// The certificates as they were sent.
  var sent: [SHA256Digest]
  var flaws: [ChainFlaw]
  var leaves: [Node] = []
  /// Paths without a certificate.
  var ends: [End] = []
  var pathsLeftOut = 0
  var deadlines: [ProbePage.Deadline]

  init(_ served: ServedReport, stores: [String], deadlines: [ProbePage.Deadline]) {
    sent = served.chain
    flaws = served.flaws
    self.deadlines = deadlines
    var count = 0
    for (number, judgement) in served.judgements.enumerated() {
      let store = number < stores.count ? stores[number] : "store \(number + 1)"
      for path in judgement.paths {
        count += 1
        if count > Self.mostPaths {
          pathsLeftOut += 1
          continue
        }
        let end = End(
          state: PathState(path), stores: [store],
          // The failures are shown at the end of the path, so one about the leaf says so.
          failures: path.failures.map { failure in
            failure.certificate == 0 && path.chain.count > 1 ? "leaf: \(failure.message)" : failure.message
          },
          excused: path.excused.map { "\($0.failure.message) (excused)" })
        Self.add(end, path, at: 0, to: &leaves, &ends)
      }
    }
  }

  private static func add(
    _ end: End, _ path: PathJudgement, at depth: Int, to nodes: inout [Node], _ ends: inout [End]
  ) {
    guard depth < path.chain.count else {
      if let same = ends.firstIndex(where: { $0.isAlike(end) }) {
        if !ends[same].stores.contains(end.stores[0]) { ends[same].stores += end.stores }
      } else {
        ends.append(end)
      }
      return
    }
    let certificate = path.chain[depth]
    let number: Int
    if let known = nodes.firstIndex(where: { $0.certificate == certificate }) {
      number = known
    } else {
      number = nodes.count
      nodes.append(Node(certificate: certificate))
    }
    for match in path.matches where match.certificate == depth && !nodes[number].matches.contains(match) {
      nodes[number].matches.append(match)
    }
    var node = nodes[number]
    add(end, path, at: depth + 1, to: &node.above, &node.ends)
    nodes[number] = node
  }

  /// Every certificate of the paths once, from the leaf upwards; then those that were sent and are in no path.
  var certificates: [SHA256Digest] {
    var level = leaves
    var found: [SHA256Digest] = []
    var seen: Set<SHA256Digest> = []
    while !level.isEmpty {
      found += level.map(\.certificate).filter { seen.insert($0).inserted }
      level = level.flatMap(\.above)
    }
    return found + unused.filter { seen.insert($0).inserted }
  }

  /// What was sent and is in no path.
  var unused: [SHA256Digest] {
    var used: Set<SHA256Digest> = []
    var level = leaves
    while !level.isEmpty {
      used.formUnion(level.map(\.certificate))
      level = level.flatMap(\.above)
    }
    return sent.filter { !used.contains($0) }
  }
}

extension ChainModel.End {
  /// True where only the trust stores differ.
  func isAlike(_ other: ChainModel.End) -> Bool {
    state == other.state && failures == other.failures && excused == other.excused
  }
}
