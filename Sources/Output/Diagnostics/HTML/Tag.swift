/// The elements that a page is made of.
package enum Tag: String, Sendable {
  case html, head, meta, title, body
  case header, main, section, footer, nav
  case h1, h2, h3, h4, p, div
  case ul, ol, li, dl, dt, dd
  case table, caption, thead, tbody, tr, th, td
  case details, summary
  case a, span, strong, small, code, time, wbr
  case svg, g, rect, line, text, desc

  /// Whether the element begins a line of the source.
  package var isBlock: Bool {
    switch self {
    case .a, .span, .strong, .small, .code, .time, .wbr, .rect, .line, .text, .svg: false
    default: true
    }
  }
}
