#if Collector
import Diagnostics
import PinFormat

/// The frame of every page: what it is about, where it leads, and what may be believed of it.
enum CollectorPage {
  /// Writes a page.
  ///
  /// - Parameters:
  ///   - title: The title, which may hold what a sender said.
  ///   - now: When it is written.
  ///   - header: The banner.
  ///   - main: What it shows.
  /// - Returns: The page, in UTF-8.
  static func html(
    title: String, now: Instant, header: (inout Markup) -> Void, main: (inout Markup) -> Void
  ) -> String {
    var markup = Markup()
    markup.page(title: title) {
      $0.style(SharedStyle.foundation, style)
    } body: { markup in
      markup.element(.header, content: header)
      markup.element(.main, content: main)
      markup.element(.footer) { markup in
        markup.element(.p) { markup in
          markup.element(.small) { markup in
            markup.text("As of ")
            markup.instant(now)
            markup.text(
              ". Reports are sent by anybody, without a proof of who it is: take what they say as a hint, and look "
                + "at the server itself before you change a pin.")
          }
        }
      }
    }
    return markup.html + "\n"
  }

  /// The head of a column.
  struct Head {
    var text: String
    var isNumber = false
    /// Where the page leads that is sorted by this column.
    var link: Attribute?

    static func text(_ text: String) -> Head { Head(text: text) }
    static func number(_ text: String) -> Head { Head(text: text, isNumber: true) }
  }

  /// A table that scrolls by itself where the screen is narrow.
  static func table(
    _ markup: inout Markup, caption: String, heads: [Head], rows: (inout Markup) -> Void
  ) {
    markup.element(.div, .kind("scroll"), .focusable, .region, .label(caption)) { markup in
      markup.element(.table) { markup in
        markup.element(.caption, text: caption)
        markup.element(.thead) { markup in
          markup.element(.tr) { markup in
            for head in heads {
              markup.element(.th, .columnHead, head.isNumber ? .kind("number") : nil) { markup in
                guard let link = head.link else { return markup.text(head.text) }
                markup.element(.a, link, text: head.text)
              }
            }
          }
        }
        markup.element(.tbody, content: rows)
      }
    }
  }

  /// A number as people read it: groups of three digits.
  static func number(_ value: Int64) -> String { Share.number(value) }

  /// A host and its port, as addresses write them.
  static func target(_ host: String, _ port: Int64) -> String {
    (host.contains(":") ? "[" + host + "]" : host) + (port == 443 ? "" : ":\(port)")
  }

  private static let style: StaticString = """
    footer { margin-top: 2rem; }
    nav { margin: 0.8rem 0; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .scroll { container-type: inline-size; }
    .scroll caption { position: sticky; left: 0; max-width: 100cqi; }
    .scroll th, .scroll td { white-space: nowrap; }
    .scroll tbody th { white-space: normal; min-width: 9rem; }
    time { white-space: nowrap; }
    @media (max-width: 40rem) {
      .scroll tbody th, .scroll thead th:first-child { position: sticky; left: 0; min-width: 7rem; padding-left: 0;
        background: var(--ground); border-right: 1px solid var(--edge); }
      .facts div { grid-template-columns: 6.5rem 1fr; }
    }
    .report .scroll { margin-top: 1rem; }
    .report { margin-top: 1.2rem; padding: 0.9rem 1.1rem; border: 1px solid var(--edge); border-radius: 0.5rem; }
    .report h2 { margin-top: 0; }
    .chain { list-style: none; padding: 0; }
    .chain li { padding: 0.15rem 0; }
    .scroll + .scroll { margin-top: 1rem; }
    .share { display: block; margin-top: 0.15rem; min-width: 5rem; fill: var(--link); }
    .days { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; list-style: none; padding: 0; }

    """
}

extension Markup {
  /// A cell with a number in it.
  mutating func number(_ value: Int64) {
    element(.td, .kind("number"), text: CollectorPage.number(value))
  }
}
#endif
