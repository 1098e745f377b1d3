import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

/// A simulation as text: the answer, what it assumes, and what happens when.
package struct SimulationText {
  /// The most rows of each table; the least important ones are left out, and counted.
  private static let mostEvents = 60
  private static let mostKeys = 20

  private let report: SimulationReport
  private var timeline: SimulationTimeline { report.timeline }
  private var scenario: Scenario { report.timeline.scenario }

  package init(report: SimulationReport) { self.report = report }

  package func text() -> String {
    [answer(), assumptions(), events(), moves(), futures(), losses()].compactMap(\.self).joined(separator: "\n")
  }

  private func answer() -> String {
    let answer = SimulationAnswer(timeline)
    var text = VisibleText.of(answer.sentence) + "\n"
    if let witness = report.witness {
      var table = Table()
      let kind = witness.kind.map { ", with the trust store \($0)" } ?? ""
      table.add("client", VisibleText.of("\(witness.client), released \(witness.released)\(kind)"))
      table.add("connects to", VisibleText.of(witness.host + (witness.place.map { " at \($0)" } ?? "")))
      table.add("from", witness.instant + (witness.until.map { " until \($0)" } ?? ", without end"))
      for (number, link) in witness.chain.enumerated() {
        table.add(number == 0 ? "presented" : "", VisibleText.of(link.text))
      }
      table.add("reason", VisibleText.of(witness.reason))
      text += table.text(indent: 2)
    }
    if let advice = answer.advice { text += "help: \(VisibleText.of(advice))\n" }
    let untried = report.untriedTrust.isEmpty ? [] : [RotationStudy.untried]
    for remark in answer.remarks + untried { text += "note: \(VisibleText.of(remark))\n" }
    return text
  }

  private func assumptions() -> String {
    var table = Table()
    table.add("from now to", "\(scenario.now) to \(scenario.end)")
    for assumption in report.assumptions {
      table.add(assumption.term.lowercased(), VisibleText.of(assumption.text))
    }
    return "ASSUMPTIONS\n" + table.text(indent: 2)
  }

  private func events() -> String {
    let (events, leftOut) = timeline.digest(Self.mostEvents)
    let words = EventText(timeline)
    var table = Table()
    table.add("WHEN", "HOSTS", "WHAT")
    for event in events {
      table.add("\(event.instant)", hosts(event.servers), VisibleText.of(words.text(event)))
    }
    var text = "TIME LINE (\(counted(timeline.events.count, "event")))\n" + table.text(indent: 2)
    if leftOut > 0 { text += "  … and \(counted(leftOut, "less important event")): --format json shows all\n" }
    return text
  }

  /// Where servers go after a loss.
  private func moves() -> String? {
    guard !report.study.question.lost.isEmpty else { return nil }
    let moves = timeline.events.filter { event in
      if case .serversChange(_, _, .afterLoss) = event.kind { true } else { false }
    }
    let stranded = Set(
      timeline.lockouts.lazy.map(\.lockout).filter { $0.extent == .every && $0.phase.source == .afterLoss }
        .map(\.server.number))
    guard !moves.isEmpty else { return "AFTER THE LOSS\n  no host presents a lost key\n" }
    var table = Table()
    table.add("HOSTS", "CHANGE TO", "CLIENTS")
    for event in moves {
      guard case .serversChange(_, let after, _) = event.kind else { continue }
      let keys = after.isEmpty ? "a key that no manifest has" : EventText.quoted(after)
      for (isStranded, words) in [(true, "some are locked out"), (false, "none are locked out")] {
        for isRenewed in [false, true] {
          let servers = event.servers.filter { server in
            stranded.contains(server) == isStranded
              && after.contains { report.renewed[scenario.servers[server].label]?.contains($0) ?? false } == isRenewed
          }
          let what = VisibleText.of(keys) + (isRenewed ? " in a new certificate" : "")
          if !servers.isEmpty { table.add(hosts(servers), what, words) }
        }
      }
    }
    return "AFTER THE LOSS\n" + table.text(indent: 2)
  }

  /// Changes that nobody plans; they don't change the verdict.
  private func futures() -> String? {
    guard !report.futures.isEmpty else { return nil }
    var table = Table()
    table.add("WHEN", "HOSTS", "CLIENTS WOULD BE LOCKED OUT IF")
    var advice: [String] = []
    for future in report.futures.prefix(Self.mostKeys) {
      let effect = future.onlyReports ? " (only reported)" : ""
      table.add(future.time(at: scenario.now), hosts(future.servers), VisibleText.of(future.clause + effect))
      let help = VisibleText.of(future.advice(in: scenario))
      if !advice.contains(help) { advice.append(help) }
    }
    let leftOut = report.futures.count - Self.mostKeys
    return "FUTURES (\(report.futures.count), not planned; no effect on the verdict)\n" + table.text(indent: 2)
      + (leftOut > 0 ? "  … and \(leftOut) more: --format json shows all\n" : "")
      + advice.map { "help: \($0)\n" }.joined()
  }

  private func losses() -> String? {
    guard !report.losses.isEmpty else { return nil }
    let grave = report.losses.filter { !$0.stranded.isEmpty }.sorted {
      ($1.stranded.count, timeline.names.label($0.pin)) < ($0.stranded.count, timeline.names.label($1.pin))
    }
    let all = counted(report.losses.count, "presented key")
    guard !grave.isEmpty else {
      // Not beside a lockout, whatever the next loss does.
      guard timeline.lockouts.isEmpty else { return "no loss of a presented key would lock out further clients\n" }
      return
        "resilient: whichever presented key is lost, each host has another that all its clients accept\n"
    }
    var table = Table()
    table.add("KEY", "PRESENTED BY", "LOCKS OUT OF", "FIRST")
    for loss in grave.prefix(Self.mostKeys) {
      let servers = Set(loss.stranded.map(\.server.number)).sorted()
      let first = loss.stranded.min { $0.instant < $1.instant }
      table.add(
        VisibleText.of(timeline.names.label(loss.pin)), "\(counted(loss.presenting.count, "host"))", hosts(servers),
        first.map { "\($0.instant), clients with \(VisibleText.of($0.release.name))" } ?? "")
    }
    var text = "NOT RESILIENT: the loss of \(grave.count) of \(all) would lock clients out\n" + table.text(indent: 2)
    if grave.count > Self.mostKeys { text += "  … and \(counted(grave.count - Self.mostKeys, "more key"))\n" }
    return text + grave.prefix(Self.mostKeys).map(reasons).joined()
  }

  /// Why no other key takes the place of a lost one, at the first host that clients are locked out of.
  private func reasons(_ loss: KeyLoss) -> String {
    guard let first = loss.stranded.min(by: { ($0.instant, $0.server) < ($1.instant, $1.server) }) else { return "" }
    let objections = LossAnalysis(scenario).objections(toLossOf: loss.pin, first)
    let head = "if '\(timeline.names.label(loss.pin))' is lost, \(first.server.label) has "
    guard !objections.isEmpty else { return VisibleText.of(head + "no other key") + "\n" }
    let shown = objections.prefix(Self.mostKeys).map { objection in
      let name = timeline.names.label(objection.key)
      let denied =
        report.study.question.denied.contains(name)
        || report.study.policy.keys.contains { $0.pin == objection.key && $0.denied != nil }
      let clients = "clients with \(scenario.releases[objection.release].name)"
      let why = objection.clause.map { "\(clients) block it: \($0)" } ?? "\(clients) don't have it"
      return "  '\(name)': \(denied ? "it is denied" : why)"
    }
    let more = objections.count - shown.count
    return ([head + "nothing else that all clients accept:"] + shown + (more > 0 ? ["  … and \(more) more"] : []))
      .map { VisibleText.of($0) + "\n" }.joined()
  }

  /// The first host, and how many more.
  private func hosts(_ servers: [Int]) -> String {
    guard let first = servers.first else { return "-" }
    let label = scenario.servers[first].label
    return servers.count == 1 ? label : "\(label) and \(servers.count - 1) more"
  }
}

extension Witness.Link {
  /// `'web-2027' (sha256/…) at the leaf`.
  fileprivate var text: String {
    guard let pin else { return "an unknown key at the \(position)" }
    return (name.map { "'\($0)' (\(pin))" } ?? pin) + " at the \(position)"
  }
}
