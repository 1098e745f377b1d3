/// How a page looks that people are sent: its legend, and all of it on narrow screens and on paper.
enum PageStyle {
  static let frame: StaticString = """
    .aside { color: var(--soft); }
    .legend { display: grid; gap: 0.3rem; }
    .legend div { display: grid; grid-template-columns: 13rem 1fr; gap: 0.5rem; }
    footer { border-top: 1px solid var(--edge); margin-top: 2rem; }
    footer .aside { margin-top: 0.7rem; max-width: 50rem; }
    @media (min-width: 60rem) { .banner .facts { grid-template-columns: 1fr 1fr; } }
    @media screen and (max-width: 48rem) {
      body { padding: 0.6rem; }
      h1 { font-size: 1.3rem; }
      .facts div, .legend div { grid-template-columns: 1fr; gap: 0; }
      .facts, .legend { gap: 0.5rem; }
      details.host { padding: 0 0.6rem; }
    }
    @media print {
      :root { color-scheme: light; }
      html { font-size: 12px; }
      body { max-width: none; padding: 0; }
      tr, .banner { break-inside: avoid; }
      h2, h3, h4, summary, caption { break-after: avoid; }
      .badge, .notice { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      a { color: inherit; text-decoration: none; }
    }

    """
}
