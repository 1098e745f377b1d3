/// How the page of a simulation looks beyond what all pages share.
enum RotationStyle {
  static let text: StaticString = """
    .notice + .facts { margin-top: 0.9rem; }
    .witness { border-left: 4px solid var(--bad); padding-left: 0.9rem; margin-top: 0; }
    .links { margin: 0; padding-left: 1.2rem; }
    .aside { margin: 0.4rem 0; }
    .hosts { table-layout: fixed; }
    .hosts th:nth-child(1) { width: 40%; }
    .events th:first-child, .dates td { white-space: nowrap; }
    .events th:first-child, .dates td { width: 11.5rem; font-variant-numeric: tabular-nums; }
    .events td:last-child { width: 30%; color: var(--soft); font-size: 0.8125rem; }
    .events .now th, .events .now td { border-top: 2px solid var(--text); font-weight: 600; }
    .losses { table-layout: fixed; }
    .losses th:nth-child(1), .losses th:nth-child(4) { width: 22%; }
    .losses th:nth-child(2) { width: 16%; }
    .table { margin-top: 0.6rem; }
    .table > summary { list-style: disclosure-closed inside; color: var(--soft); font-size: 0.8125rem; }
    .table[open] > summary { list-style: disclosure-open inside; }
    .dates td, .dates tbody th { padding-top: 0.2rem; padding-bottom: 0.2rem; }
    .timeline { display: block; margin-top: 0.5rem; }
    .timeline text { font-size: 12px; fill: var(--text); stroke: var(--ground); stroke-width: 4px; paint-order: stroke; }
    .timeline .band { fill: var(--bad-ground); }
    .timeline .date { fill: var(--soft); }
    .timeline line { stroke: var(--edge); stroke-width: 1; }
    .timeline .now { stroke: var(--text); stroke-width: 2; }
    .timeline .mark { stroke: var(--text); stroke-width: 3; }
    .timeline .release rect { fill: var(--link); }
    .timeline .server rect { fill: var(--far); }
    .timeline .assumed line { stroke: var(--far); stroke-width: 10; stroke-dasharray: 3 3; }
    .timeline .future line { stroke: var(--care); stroke-width: 3; stroke-dasharray: 9 5; }
    .timeline .entry rect { fill: var(--good); }
    .timeline .certificate rect { fill: var(--none); }
    .timeline .exception rect, .timeline .blocked rect { fill: var(--care); }
    .timeline .locked-out rect { fill: var(--bad); }
    .timeline text.locked-out { fill: var(--bad); font-weight: 600; }
    .timeline text.blocked { fill: var(--care); font-weight: 600; }
    @media screen and (max-width: 48rem) {
      thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      table tr { display: block; border-top: 1px solid var(--edge); padding: 0.35rem 0; }
      table th, table td { display: block; border: 0; padding: 0.05rem 0; }
      .events th:nth-child(n), .events td:nth-child(n), .hosts th:nth-child(n), .losses th:nth-child(n),
      .dates td:nth-child(n) { width: auto; }
      .hosts td:nth-child(3)::before { content: "Locked out: "; }
      .hosts td:nth-child(4)::before { content: "First to end: "; }
      .losses td:nth-child(2)::before { content: "Presented by "; }
      .losses td:nth-child(3)::before { content: "Locked out of "; }
      .losses td:nth-child(4)::before { content: "At first: "; }
      .dates td:nth-child(2)::before { content: "from "; }
      .dates td:nth-child(3)::before { content: "until "; }
      .losses td::before, .hosts td::before, .dates td::before { color: var(--soft); font-size: 0.8125rem; }
      details.host > summary h3 { flex: 0 0 calc(100% - 1.5rem); }
    }
    @media print {
      .timeline { break-inside: avoid; }
      .timeline rect, .timeline line { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
    }

    """
}
