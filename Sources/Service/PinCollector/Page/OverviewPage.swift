#if Collector
import Diagnostics
import PinFormat

/// The first page: who fails since when, what may enforce, and what clients run.
struct OverviewPage {
  var hosts: [Answers.Host]
  /// The order in which they are.
  var order: HostOrder
  var entries: Answers.Entries
  var manifests: Answers.Manifests
  var adoption: Answers.Adoption
  var status: Answers.Status
  /// The days that are shown.
  var days: Int64
  var now: Instant

  /// How many hosts the page lists; the rest is in the API.
  static let mostHosts = 200

  func html() -> String {
    CollectorPage.html(title: "Pin reports", now: now, header: header, main: main)
  }

  private var blocked: [Answers.Entry] { entries.entries.filter { $0.blocked > 0 } }

  private func header(_ markup: inout Markup) {
    let isCalm = hosts.isEmpty && blocked.isEmpty
    let tone: Tone = isCalm ? .good : .bad
    markup.element(.div, .kind("banner " + tone.kind)) { markup in
      markup.element(.p, .kind("kicker"), text: "Pintle collector, the last \(days) days")
      markup.headline(tone, isCalm ? "No mismatches were reported" : headline)
      markup.element(.ul, .kind("tally")) { markup in
        tally(&markup, status.received.reports, "reports received")
        tally(&markup, status.stored.mismatches, "different ones kept")
        tally(&markup, status.stored.aggregates, "daily counts kept")
        let clients = Int64(Set(manifests.manifests.map(\.reporter)).count)
        tally(&markup, clients, clients == 1 ? "client that counts" : "clients that count")
      }
      let dropped = status.dropped.mismatches + status.dropped.aggregates
      if dropped > 0 {
        markup.element(
          .p, .kind("notice"),
          text: "\(CollectorPage.number(dropped)) of the oldest were let go, because the limits were reached.")
      }
    }
  }

  private var headline: String {
    if hosts.isEmpty { return blocked.count == 1 ? "One entry blocks" : "\(blocked.count) entries block" }
    let more = hosts.count == Self.mostHosts ? "At least " : ""
    return more + (hosts.count == 1 ? "One host is reported" : "\(hosts.count) hosts are reported")
  }

  private func tally(_ markup: inout Markup, _ count: Int64, _ words: String) {
    markup.element(.li) { markup in
      markup.element(.strong, text: CollectorPage.number(count))
      markup.text(" " + words)
    }
  }

  private func main(_ markup: inout Markup) {
    markup.element(.nav, .label("Other times")) { markup in
      markup.text("Show ")
      for days in [Int64(1), 7, 30, 90] {
        markup.element(
          .a, .link(toPath: [], query: ["days": "\(days)"]), text: days == 1 ? "a day" : "\(days) days")
        markup.text(days == 90 ? "." : ", ")
      }
    }
    failing(&markup)
    entries(&markup)
    AdoptionTables(adoption).write(&markup)
    clients(&markup)
  }

  private func failing(_ markup: inout Markup) {
    markup.element(.h2, text: "Hosts that are reported")
    guard !hosts.isEmpty else {
      markup.element(.p, text: "None in this time.")
      return
    }
    CollectorPage.table(
      &markup, caption: "Each host with mismatches; choose a column to sort by it",
      heads: [
        head(.host, "Host"), head(.last, "Last"), head(.since, "Since"), head(.reports, "Reports"),
        head(.keys, "Failing keys"),
      ]
    ) { markup in
      for host in hosts {
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead) { markup in
            markup.element(
              .a, .link(toPath: ["hosts", host.host, "\(host.port)"], query: ["days": "\(days)"])
            ) { $0.host(CollectorPage.target(host.host, host.port)) }
          }
          markup.element(.td) { $0.ago(host.lastSeen.instant, at: now) }
          markup.element(.td) { $0.ago(host.firstSeen.instant, at: now) }
          markup.number(host.reports)
          markup.number(host.keys)
        }
      }
    }
  }

  private func head(_ order: HostOrder, _ text: String) -> CollectorPage.Head {
    let link: Attribute? =
      order == self.order ? nil : .link(toPath: [], query: ["days": "\(days)", "sort": order.rawValue])
    return CollectorPage.Head(text: text, isNumber: order == .keys || order == .reports, link: link)
  }

  private func entries(_ markup: inout Markup) {
    markup.element(.h2, text: "Client counts by host entry")
    guard !entries.entries.isEmpty else {
      markup.element(.p, text: "No client sent its daily counts in this time.")
      return
    }
    CollectorPage.table(
      &markup, caption: "Connections of each entry; those that block or aren’t ready are first",
      heads: [
        .text("Entry"), .text("Verdict"), .text("Mode"), .number("Passed"), .number("Would be blocked"),
        .number("Blocked"), .number("Days"), .text("Last failure"),
      ]
    ) { markup in
      for entry in entries.entries {
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead) { markup in
            markup.element(
              .a, .link(toPath: ["entries"], query: ["entry": entry.entry, "days": "\(days)"])
            ) { $0.host(entry.entry) }
          }
          markup.element(.td) { $0.verdict(of: entry) }
          markup.element(.td, text: entry.mode)
          markup.number(entry.successes)
          markup.number(entry.reportOnlyMismatches)
          markup.number(entry.blocked)
          markup.number(entry.days)
          markup.element(.td) { markup in
            if let last = entry.lastFailure { markup.ago(last.instant, at: now) } else { markup.text("–") }
          }
        }
      }
    }
  }

  private func clients(_ markup: inout Markup) {
    markup.element(.h2, text: "Manifests that clients run")
    guard !manifests.manifests.isEmpty else {
      markup.element(.p, text: "No client said so in this time.")
      return
    }
    CollectorPage.table(
      &markup, caption: "What each client decided on, on the last day that it counted",
      heads: [.text("Client"), .number("Serial"), .number("Decisions"), .text("Day")]
    ) { markup in
      for manifest in manifests.manifests {
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead, text: manifest.reporter)
          markup.number(manifest.serial)
          markup.number(manifest.decisions)
          markup.element(.td, text: manifest.day)
        }
      }
    }
  }
}

extension Markup {
  /// What an entry's counts come to, in a few words.
  mutating func verdict(of entry: Answers.Entry) {
    switch entry.readiness {
    case .ready: badge(.good, "ready to enforce")
    case .wait: badge(.care, "passes so far")
    case .failing: badge(.bad, "not ready")
    case .unseen: badge(.far, "no connections")
    case nil: entry.blocked > 0 ? badge(.bad, "blocks") : badge(.calm, "passes")
    }
  }
}
#endif
