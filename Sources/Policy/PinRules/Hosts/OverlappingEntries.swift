import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Where two entries cover the same names, says which one holds.
  static let overlappingEntries = Rule(
    code: "P205",
    name: "overlapping-entries",
    severity: .note,
    title: "Two entries cover the same names; the more specific one wins.",
    rationale: """
      One entry governs a connection: the exact host with this port, then the exact host, then the nearest name above it
      that includes subdomains (with this port before without). Pins of two entries are never merged, so a key that only
      the wider entry names doesn't count if the narrower one applies. An entry without `include-subdomains` leaves the
      names below its host to the wider entry. Exclusions (`mode: off`) aren't reported; if many entries are below one,
      they are counted at that one.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
        - host: api.example.com
          include-subdomains: true
          mode: report-only
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: www.example.com
          include-subdomains: true
          keys: public-web
        - host: api.example.com
          include-subdomains: true
          mode: report-only
          keys: public-web
      """),
    citation: "docs/policy.md#which-entry-applies",
    check: .policy { input in
      var answers = HostAnswers(input)
      let meeting = input.policy.hosts.indices.filter(input.hostIndex.hasOthersAround)
      let overlaps = meeting.compactMap { overlap(of: $0, in: input, &answers) }
      let byLoser = Dictionary(grouping: overlaps, by: \.loser)
      return byLoser.flatMap { loser, overlaps in
        overlaps.count > mostSingly ? [summary(of: overlaps, over: loser, in: input)] : overlaps.map(\.finding)
      }
    })

  /// A narrower entry's finding, and the entries that meet.
  private typealias Overlap = (winner: Int, loser: Int, finding: Finding)

  /// More entries than so many that win over one aren't news one by one.
  private static let mostSingly = 5

  private static func summary(of overlaps: [Overlap], over loser: Int, in input: CheckInput) -> Finding {
    let hosts = input.policy.hosts
    let wider = hosts[loser].label
    let names = overlaps.map { hosts[$0.winner].label }
    return Finding(
      at: hosts[loser].written.place,
      "\(overlaps.count) narrower entries win over '\(wider)': \(Wording.list(names, most: 4))",
      related: overlaps.prefix(3).map { Diagnostic.Related("one of them", at: hosts[$0.winner].written.place) },
      help: "If this is intended, leave it: keys that only '\(wider)' names don't count for those hosts.")
  }

  private static func overlap(
    of index: Int, in input: CheckInput, _ answers: inout HostAnswers
  ) -> Overlap? {
    let hosts = input.policy.hosts
    let entry = hosts[index]
    // Another rule reports an entry that changes nothing.
    guard entry.mode.value != .off, !input.hostIndex.hasDuplicate(index),
      let parts = input.hostIndex.fallbacks(without: index),
      let loser = parts.first(where: { $0.entry != nil }), let other = loser.entry,
      !isWithoutEffect(index, parts, &answers)
    else { return nil }
    let losers = Set(parts.compactMap(\.entry)).sorted()
    let scope = HostLabel.text(host: entry.host, port: loser.port)
    let wider = hosts[other].label
    var message = "two entries cover '\(scope)'; this one wins over '\(wider)'"
    var help = "If this is intended, leave it: keys that only '\(wider)' names don't count here."
    if let below = input.hostIndex.governingBelow(index), !entry.coversSubdomains, below == other {
      message += ", which keeps the names below '\(entry.host)'"
      help += " Add 'include-subdomains: true' to govern the names below it from here as well."
    }
    let finding = Finding(
      at: entry.written.place, message,
      related: losers.map { Diagnostic.Related("also covered by this entry", at: hosts[$0].written.place) }, help: help)
    return (index, other, finding)
  }
}
