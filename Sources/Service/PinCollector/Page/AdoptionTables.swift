#if Collector
import Diagnostics

/// Adoption over time: for each audience, the share of senders that run each release, day by day.
struct AdoptionTables {
  private let adoption: Answers.Adoption

  /// How many audiences, days and releases are shown; the rest is in the API.
  private static let mostAudiences = 8
  static let mostDays: Int64 = 31
  private static let mostReleases = 4

  init(_ adoption: Answers.Adoption) {
    self.adoption = adoption
  }

  func write(_ markup: inout Markup) {
    markup.element(.h2, text: "Adoption of releases")
    guard !adoption.rows.isEmpty else {
      markup.element(.p, text: "No client said in this time which release it runs.")
      return
    }
    let audiences = Dictionary(grouping: adoption.rows) { $0.audience ?? "" }
    // Those with the most senders first: anybody can send any name.
    let sorted = audiences.sorted { (senders($1.value), $0.key) < (senders($0.value), $1.key) }
    for (name, rows) in sorted.prefix(Self.mostAudiences) { table(&markup, name, rows) }
    if sorted.count > Self.mostAudiences || adoption.next != nil {
      markup.element(.p, text: "There is more, which /v1/adoption has.")
    }
  }

  private func table(_ markup: inout Markup, _ audience: String, _ rows: [Answers.AdoptionRow]) {
    let serials = Dictionary(grouping: rows, by: \.serial).mapValues(senders)
      .sorted { ($1.value, $1.key) < ($0.value, $0.key) }.prefix(Self.mostReleases).map(\.key).sorted(by: >)
    let days = Dictionary(grouping: rows, by: \.day).sorted { $0.key > $1.key }.prefix(Int(Self.mostDays))
    let name = audience.isEmpty ? "Senders that don’t say their audience" : "Audience " + audience
    CollectorPage.table(
      &markup, caption: "\(name): the share of senders that run each release, as they say",
      heads: [.text("Day"), .number("Senders")] + serials.map { .text("Serial \($0)") } + [.text("Others")]
    ) { markup in
      for (day, rows) in days {
        let all = senders(rows)
        markup.element(.tr) { markup in
          markup.element(.th, .rowHead, text: day)
          markup.number(all)
          var rest = all
          for serial in serials {
            let count = senders(rows.filter { $0.serial == serial })
            rest -= count
            markup.element(.td) { $0.share(count, of: all) }
          }
          markup.element(.td) { $0.share(rest, of: all) }
        }
      }
    }
  }

  private func senders(_ rows: [Answers.AdoptionRow]) -> Int64 { rows.reduce(0) { $0 + $1.senders } }
}

extension Markup {
  /// A share in words, and as a bar.
  fileprivate mutating func share(_ count: Int64, of all: Int64) {
    guard count > 0, all > 0 else { return text("–") }
    text(Share.text(count, of: all))
    let width = "\(max(1, Int64(Double(count) / Double(all) * 100)))%"
    element(.svg, .kind("share"), .hidden, .plain("width", "100%"), .plain("height", "6")) { markup in
      markup.empty(.rect, .plain("width", width), .plain("height", "6"), .plain("rx", "2"))
    }
  }
}
#endif
