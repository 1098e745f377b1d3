#if Collector
import Diagnostics
import PinFormat

/// The page of a host entry: what clients counted, which keys failed, and why connections were blocked.
struct EntryPage {
  var name: String
  var entries: Answers.Entries
  var days: Int64
  var now: Instant

  func html() -> String {
    CollectorPage.html(title: "Counts of " + name, now: now) { markup in
      markup.element(.nav, .label("Way back")) { markup in
        markup.element(.a, .link(toPath: [], query: ["days": "\(days)"]), text: "All entries")
      }
      let failing = entries.entries.contains { $0.blocked > 0 || $0.reportOnlyMismatches > 0 }
      let tone: Tone = entries.entries.isEmpty ? .far : failing ? .bad : .good
      markup.element(.div, .kind("banner " + tone.kind)) { markup in
        markup.element(.p, .kind("kicker"), text: "Host entry, since \(entries.since)")
        markup.headline(tone, name)
        if entries.entries.isEmpty { markup.element(.p, text: "No client counted connections of it in this time.") }
      }
    } main: { markup in
      for entry in entries.entries { section(&markup, entry) }
    }
  }

  private func section(_ markup: inout Markup, _ entry: Answers.Entry) {
    markup.element(.section, .kind("report")) { markup in
      markup.element(.h2) { markup in
        markup.text(entry.mode + " ")
        markup.verdict(of: entry)
      }
      markup.element(.dl, .kind("facts")) { markup in
        markup.fact("Passed") { $0.text(CollectorPage.number(entry.successes)) }
        markup.fact("By a backup") { $0.text(CollectorPage.number(entry.backupMatches)) }
        markup.fact("Would block") { $0.text(CollectorPage.number(entry.reportOnlyMismatches)) }
        markup.fact("Blocked") { $0.text(CollectorPage.number(entry.blocked)) }
        markup.fact("Counted") {
          $0.text("\(entry.firstDay) to \(entry.lastDay), on \(entry.days == 1 ? "one day" : "\(entry.days) days")")
        }
        markup.fact("By") { $0.text(entry.reporters == 1 ? "one client" : "\(entry.reporters) clients") }
        if let first = entry.firstFailure { markup.fact("Failing since") { $0.instant(first.instant) } }
        if let last = entry.lastFailure { markup.fact("Last failure") { $0.instant(last.instant) } }
      }
      keys(&markup, entry.failingKeys)
      kinds(&markup, entry.failures)
    }
  }

  private func keys(_ markup: inout Markup, _ keys: [Answers.FailingKey]) {
    guard !keys.isEmpty else { return }
    CollectorPage.table(
      &markup, caption: "Keys of chains that didn't satisfy the entry, in any mode",
      heads: [.text("Key"), .text("Position"), .number("Connections"), .text("Since"), .text("Last")]
    ) { markup in
      for key in keys {
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead) { $0.element(.code, text: key.pin) }
          markup.element(.td, text: key.position)
          markup.number(key.connections)
          markup.element(.td) { $0.instant(key.first.instant) }
          markup.element(.td) { $0.instant(key.last.instant) }
        }
      }
    }
  }

  private func kinds(_ markup: inout Markup, _ kinds: [Answers.Kind]) {
    guard !kinds.isEmpty else { return }
    CollectorPage.table(
      &markup, caption: "Why connections were blocked, in any mode", heads: [.text("Reason"), .number("Connections")]
    ) { markup in
      for kind in kinds {
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead, text: kind.kind + (kind.code.map { " (\($0))" } ?? ""))
          markup.number(kind.connections)
        }
      }
    }
  }
}
#endif
