import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
import PinRules
import PinValidator

/// What was measured of the clients of one audience, beside what is known of its releases.
package struct AdoptionReport {
  /// Nil for senders that don't say theirs.
  package let audience: String?
  package let adoption: Adoption
  /// In order of release; empty where nobody gave them.
  package let released: [ReleasedManifest]
  /// The policy's `client-max-age` in seconds; nil where nobody gave the policy.
  package let window: Int64?

  package init(_ audience: String?, _ adoption: Adoption, released: [ReleasedManifest] = [], window: Int64? = nil) {
    self.audience = audience
    self.adoption = adoption
    self.released = released.filter { $0.loaded.audience == audience }
    self.window = window
  }

  /// How many serials of a day are listed: anybody can send any number of them.
  private static let most = 20

  /// A release, as senders ran it on the last measured day.
  struct Use {
    var serial: Int64
    var senders: Int64
    var trend: Adoption.Trend
    var issued: Instant?
  }

  var last: Adoption.Day? { adoption.days.last }

  /// The releases of the last day, the newest first; of many, those with the most senders.
  var uses: [Use] {
    guard let last else { return [] }
    let most = last.senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.most)
    let issued = Dictionary(released.map { ($0.serial ?? 0, $0.issued) }) { first, _ in first }
    return most.sorted { $0.key > $1.key }.map { serial, senders in
      Use(
        serial: serial, senders: senders, trend: adoption.trend(of: serial, on: last), issued: issued[serial])
    }
  }

  /// The senders of the last day that run other releases than those listed.
  var others: Int64 { (last?.all ?? 0) - uses.reduce(0) { $0 + $1.senders } }

  /// How long each release that has a successor was still run.
  var delays: [(release: ReleasedManifest, successor: ReleasedManifest, delay: Adoption.Delay)] {
    zip(released, released.dropFirst()).compactMap { release, successor in
      guard let serial = successor.serial else { return nil }
      return adoption.delay(until: serial, issued: successor.issued).map { (release, successor, $0) }
    }
  }

  /// The longest that senders took to have a release's successor, in days; nil where nothing shows it.
  private var longest: Int64? { delays.map(\.delay.all.days).max() }

  /// What it means, in sentences.
  var sentences: [String] {
    guard let last else { return [] }
    // Anybody can send a serial that was never released: what most senders run is the release to compare with.
    let current = released.last?.serial ?? uses.max { $0.senders < $1.senders }?.serial ?? 0
    var told = uses.filter { $0.serial < current }.prefix(3).map { adoption.text(of: $0.serial, on: last) + "." }
    if adoption.measured.seconds(since: last.end) < 86_400 {
      told.append("Counts of \(last.text) may still arrive until a day after its end.")
    }
    guard let longest, let window else { return told }
    if longest * 86_400 > window {
      told.append(
        "Senders ran a release up to \(counted(Int(longest), "day")) after its successor, longer than 'client-max-age' of "
          + "\(Wording.duration(window)).")
    } else {
      told.append(
        "No sender ran a release more than \(counted(Int(longest), "day")) after its successor; 'client-max-age' is "
          + "\(Wording.duration(window)).")
    }
    return told
  }

  /// What counts can't say, whatever they are.
  static let limits = [
    "Clients that send no counts aren't in them, so silence doesn't mean that a release isn't run any more.",
    "Anybody can send counts: they may make a wait longer, and only a change of 'client-max-age' makes it shorter.",
  ]
}

extension AdoptionReport {
  /// For people.
  package static func text(_ reports: [AdoptionReport]) -> String {
    reports.map(\.text).joined(separator: "\n") + "\n" + limits.map { "Note: \($0)\n" }.joined()
  }

  private var text: String {
    let name = audience.map { "Audience \(VisibleText.of($0))" } ?? "Senders that don't say their audience"
    guard let last else { return "\(name): no senders, measured \(adoption.measured)\n" }
    var text =
      "\(name): \(last.all == 1 ? "1 sender" : Share.number(last.all) + " senders") on \(last.text), measured \(adoption.measured)\n"
    var table = Table()
    for use in uses {
      let trend = use.trend == .unknown ? "" : use.trend.rawValue
      table.add(
        "serial \(use.serial)", Share.text(use.senders, of: last.all), Share.number(use.senders), trend,
        use.issued.map { "released \($0)" } ?? (released.isEmpty ? "" : "not among the releases"))
    }
    if others > 0 { table.add("others", Share.text(others, of: last.all), Share.number(others)) }
    text += table.text(indent: 2)
    if !delays.isEmpty { text += "\n  Until senders had the successor, in days after its release\n" + delayTable }
    return text + sentences.map { "  \($0)\n" }.joined()
  }

  private var delayTable: String {
    var table = Table()
    table.add("", "50 %", "95 %", "99 %", "all")
    for (release, successor, delay) in delays {
      table.add(
        "\(release.name), successor \(successor.issued)", delay.half.text, delay.most.text, delay.nearlyAll.text,
        delay.all.text)
    }
    return table.text(indent: 2)
  }
}

extension AdoptionReport {
  /// For programs, as `schemas/facts.schema.json` describes it.
  package static func json(_ reports: [AdoptionReport], measured: Instant) -> String {
    JSONWriter.document("pintle-adoption-summary", by: .pintle) { writer in
      writer.member("measured", measured)
      writer.objects("audiences", reports) { $0.add(to: &$1) }
      writer.array("notes", limits)
    }
  }

  private func add(to writer: inout JSONWriter) {
    writer.member("audience", audience)
    writer.member("window", window)
    writer.member("day", last?.text)
    writer.member("senders", last?.all ?? 0)
    writer.objects("serials", uses) { use, writer in
      writer.member("serial", use.serial)
      writer.member("senders", use.senders)
      writer.member("trend", use.trend.rawValue)
      writer.member("issued", use.issued)
    }
    writer.member("otherSenders", others)
    writer.objects("delays", delays) { item, writer in
      writer.member("serial", item.release.serial)
      writer.member("successor", item.successor.serial)
      writer.member("issued", item.successor.issued)
      writer.reach("half", item.delay.half)
      writer.reach("most", item.delay.most)
      writer.reach("nearlyAll", item.delay.nearlyAll)
      writer.reach("all", item.delay.all)
    }
    writer.array("sentences", sentences)
  }
}

extension Adoption.Delay.Reach {
  fileprivate var days: Int64 {
    switch self {
    case .after(let days), .notYet(let days): days
    }
  }

  fileprivate var text: String {
    switch self {
    case .after(let days): "\(days)"
    case .notYet(let days): "not in \(days)"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func reach(_ name: String, _ reach: Adoption.Delay.Reach) {
    object(name) { writer in
      writer.member("days", reach.days)
      if case .after = reach { writer.member("isReached", true) } else { writer.member("isReached", false) }
    }
  }
}
