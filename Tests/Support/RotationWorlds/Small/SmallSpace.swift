import PinFormat
import PinRotation
import PinValidator

/// A set of small worlds that are all looked at.
package struct SmallSpace: Sendable {
  package var name: String
  /// What each release may say.
  package var contents: [SmallContent]
  package var isChildAsked: Bool
  package var clocks: [SmallClock]

  package init(_ name: String, _ contents: [SmallContent], isChildAsked: Bool = true, clocks: [SmallClock]) {
    self.name = name
    self.contents = contents
    self.isChildAsked = isChildAsked
    self.clocks = clocks
  }

  /// The number of worlds with one host asked.
  package var worldCount: Int {
    clocks.reduce(0) { sum, clock in
      sum + clock.issued.reduce(1) { product, _ in product * contents.count } * clock.timelines.count
    }
  }

  /// What the comparison of a set of worlds came to.
  package struct Tally: Sendable {
    package var worlds = 0
    /// Lockouts, strandings and standing flags that were looked at on both sides, and worlds without any.
    package var comparisons = 0
    package var safe = 0
    package var resilient = 0
    package var disagreements = 0
    /// The first few that disagree.
    package var examples: [String] = []

    package init() {}

    package mutating func add(_ other: Tally) {
      worlds += other.worlds
      comparisons += other.comparisons
      safe += other.safe
      resilient += other.resilient
      disagreements += other.disagreements
      examples += other.examples.prefix(max(0, 5 - examples.count))
    }
  }

  /// Compares the worlds whose first release says one of some contents.
  ///
  /// - Parameters:
  ///   - part: The numbers of those contents.
  ///   - mistake: What the oracle does wrong.
  /// - Returns: The tally.
  /// - Throws: What the validator says of a manifest that it doesn't take.
  package func compare(_ part: some Sequence<Int>, mistake: Oracle.Mistake? = nil) throws -> Tally {
    let forge = try Forge()
    let manifests = try contents.map { content in
      // Never stale: it expires after the end of every world.
      try forge.manifest(content.release(.released, issued: -1_000).manifest(expires: 1_000_000))
    }
    let accepts = contents.map { content in
      (0...3).reduce(0) { $0 | (content.accepts($1, atChild: isChildAsked) ? 1 << $1 : 0) }
    }
    let host = isChildAsked ? SmallContent.childHost : SmallContent.parentHost
    var tally = Tally()
    for clock in clocks {
      let servers = try clock.timelines.map { timeline in
        try PlainServer(
          host,
          zip([-100] + timeline.changes, timeline.keys).map { begin, key in
            PlainPhase(begin == -100 ? .observed : .planned, at: begin, [key])
          }
        ).inTheModel()
      }
      var round = Round(clock: clock, servers: servers, oracle: SmallOracle(mistake: mistake))
      for first in part {
        round.contents = [first]
        round.choose(from: contents.count) { round, chosen in
          round.compare(chosen.map { manifests[$0] }, chosen.map { accepts[$0] }) { chosen.map { contents[$0] } }
        }
      }
      tally.add(round.tally)
    }
    return tally
  }
}
