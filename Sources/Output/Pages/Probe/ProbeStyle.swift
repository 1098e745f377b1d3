/// How the page of a probe looks beyond what all pages share.
enum ProbeStyle {
  /// The tables of hosts and dates.
  static let hosts: StaticString = """
    .store { display: none; }
    .hosts { table-layout: fixed; }
    .hosts th:nth-child(1) { width: 30%; }
    .hosts th:nth-child(2), .hosts th:nth-child(5) { width: 19%; }
    .hosts th:nth-child(3) { width: 15%; }
    .dates td:nth-child(2) { white-space: nowrap; }

    """

  static let parts: StaticString = """
    .certificate { border-top: 1px solid var(--edge); padding: 0.3rem 0; }
    .certificate > summary { list-style: disclosure-closed inside; }
    .certificate[open] > summary { list-style: disclosure-open inside; }
    .certificate .facts { margin: 0.3rem 0 0.5rem 1rem; }
    .findings { list-style: none; padding: 0; display: grid; gap: 0.5rem; }
    .findings li { border-left: 4px solid var(--tone); padding: 0.1rem 0 0.1rem 0.75rem; }
    .findings .help { margin-top: 0.2rem; white-space: pre-wrap; }
    .findings .where { color: var(--soft); }
    .code { font-weight: 600; }
    .findings + .aside { margin-top: 0.5rem; }
    .matrix th { overflow-wrap: normal; }
    .matrix td { min-width: 7rem; }
    .matrix td ~ td { min-width: 11rem; }
    .matrix .badge, .hosts .badge { white-space: nowrap; }
    .paths { list-style: none; padding: 0; display: grid; gap: 0.2rem; }
    .chain { margin-top: 0.3rem; }
    .tree, .tree ul { list-style: none; padding: 0; }
    .tree li { display: flex; align-items: flex-start; position: relative; }
    .tree ul { margin-left: 1.6rem; display: grid; gap: 0.6rem; }
    .tree ul > li::before { content: ""; position: absolute; left: -0.8rem; top: 1.3rem; width: 0.8rem;
      border-top: 2px solid var(--soft); }
    .tree ul > li::after { content: ""; position: absolute; left: -0.8rem; top: -0.6rem; bottom: 0;
      border-left: 2px solid var(--soft); }
    .tree ul > li:first-child::after { top: 1.3rem; }
    .tree ul > li:last-child::after { bottom: auto; height: 1.9rem; }
    .tree ul > li:only-child::after { display: none; }
    .tree li > .box:not(:last-child)::after { content: ""; position: absolute; right: -0.85rem; top: calc(1.3rem - 1px);
      width: 0.8rem; border-top: 2px solid var(--soft); }
    .box { position: relative; flex: 0 0 auto; width: 14.5rem; border: 1px solid var(--edge); border-radius: 0.4rem;
      padding: 0.4rem 0.6rem 0.5rem; background: var(--raised); }
    .box.pinned { border-color: var(--text); box-shadow: inset 0 0 0 1px var(--text); }
    .box.absent { border-style: dashed; background: none; }
    .box .role { color: var(--soft); font-size: 0.8125rem; }
    .box .name { font-weight: 600; line-height: 1.3; }
    .box .key { color: var(--soft); font-size: 0.8125rem; line-height: 1.3; margin-top: 0.2rem; }
    .box .key code { font-size: 0.75rem; }
    .box .match { margin-top: 0.3rem; }
    .box .ends { margin-top: 0.45rem; padding-top: 0.35rem; border-top: 1px dashed var(--edge); display: grid; gap: 0.25rem; }
    .box .why { font-size: 0.8125rem; }
    .form { margin: 0.5rem 0 0; padding-left: 1.1rem; }
    .dates { margin-top: 0.9rem; }
    .dates th:first-child { width: 24%; }
    .dates .line { width: 38%; }
    .dates .line span:last-child { float: right; }
    .dates td, .dates tbody th { padding-top: 0.2rem; padding-bottom: 0.2rem; }
    .bar { display: block; width: 100%; height: 18px; }
    .bar rect { fill: var(--tone, var(--text)); }
    .bar line { stroke: var(--text); stroke-width: 2; }
    @media screen and (max-width: 48rem) {
      .hosts thead, .dates thead, .matrix thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .hosts tr, .dates tr, .matrix tr { display: block; border-top: 1px solid var(--edge); padding: 0.35rem 0; }
      .hosts th, .hosts td, .dates th, .dates td, .matrix th, .matrix td { display: block; border: 0;
        padding: 0.05rem 0; }
      .hosts th:nth-child(n), .dates th:nth-child(n) { width: auto; }
      .dates td:nth-child(2) { white-space: normal; }
      .matrix tbody th { display: inline-block; margin-right: 0.6rem; }
      .matrix tbody th[scope="rowgroup"] { display: block; font-weight: 600; }
      .store { display: inline; color: var(--soft); font-size: 0.8125rem; }
      .matrix th .store { font-size: inherit; color: inherit; }
      .hosts td:nth-child(n+3)::before { color: var(--soft); font-size: 0.8125rem; }
      .hosts td:nth-child(3)::before { content: "Findings: "; }
      .hosts td:nth-child(4)::before { content: "Addresses: "; }
      .hosts td:nth-child(5)::before { content: "First expiry: "; }
      .tree li { display: block; }
      .tree ul { margin: 0.6rem 0 0 1.2rem; }
      .tree li > .box:not(:last-child)::after { display: none; }
      .tree ul > li::after { top: -0.6rem; }
      .tree ul > li:first-child::after { top: -0.6rem; }
      .tree ul > li:last-child::after, .tree ul > li:only-child::after { display: block; bottom: auto; height: 1.9rem; }
      .box { width: auto; }
    }
    @media print {
      .scroll { overflow: visible; }
      .box, .findings li { break-inside: avoid; }
      details.host { break-inside: auto; }
      .bar rect { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      .box { width: 10.5rem; }
    }

    """
}
