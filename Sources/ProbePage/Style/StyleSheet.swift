/// How the page looks: light, dark, narrow and on paper.
///
/// Every pair of a text's colour and its ground has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
enum StyleSheet {
  static let text: StaticString = """
    :root { color-scheme: light dark; --ground: #fff; --raised: #f6f7f9; --text: #1b1f24; --soft: #535b66;
      --edge: #d3d8df; --link: #0b57b8; --good: #17692f; --good-ground: #e3f5e8; --bad: #a8161c; --bad-ground: #fdeaea;
      --care: #7d4e00; --care-ground: #fdf2d6; --far: #6a3a9c; --far-ground: #f2eafb; --none: #535b66;
      --none-ground: #eef0f3; }
    @media (prefers-color-scheme: dark) { :root { --ground: #14171b; --raised: #1c2026; --text: #e6e9ed; --soft: #a6afba;
      --edge: #39404a; --link: #82b5ff; --good: #7fd694; --good-ground: #15301d; --bad: #ff9c9c; --bad-ground: #3b1719;
      --care: #f3c467; --care-ground: #352708; --far: #cfaaf7; --far-ground: #2b1d3d; --none: #a6afba;
      --none-ground: #262b32; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--ground); color: var(--text);
      font: 0.9375rem/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
    h1, h2, h3, h4, p, ul, dl, dd { margin: 0; }
    h1 { font-size: 1.6rem; line-height: 1.25; }
    h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
    h3 { font-size: 1rem; display: inline; }
    h4 { font-size: 0.9375rem; margin: 1.1rem 0 0.4rem; }
    small { font-size: 0.8125rem; color: var(--soft); }
    code { font: 0.8125rem/1.4 ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; }
    a { color: var(--link); text-underline-offset: 0.15em; }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
    .good { --tone: var(--good); --tint: var(--good-ground); }
    .bad { --tone: var(--bad); --tint: var(--bad-ground); }
    .care { --tone: var(--care); --tint: var(--care-ground); }
    .far { --tone: var(--far); --tint: var(--far-ground); }
    .calm, .none { --tone: var(--none); --tint: var(--none-ground); }
    .badge { display: inline-block; padding: 0 0.45em; border-radius: 0.3em; background: var(--tint); color: var(--tone);
      font-weight: 600; font-size: 0.8125rem; line-height: 1.6; }
    .banner { padding: 1rem 1.25rem 1.1rem; border: 1px solid var(--edge); border-left: 0.5rem solid var(--tone);
      border-radius: 0.5rem; background: var(--raised); }
    .banner h1 .sign { color: var(--tone); }
    .kicker { color: var(--soft); font-size: 0.8125rem; margin-bottom: 0.2rem; }
    .tally { list-style: none; padding: 0; margin: 0.6rem 0 0; display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; }
    .tally strong { font-size: 1.1rem; }
    .notice { margin-top: 0.7rem; padding: 0.4rem 0.7rem; border-radius: 0.3rem; background: var(--care-ground);
      color: var(--care); }
    .facts { margin-top: 0.8rem; display: grid; gap: 0.2rem 1.5rem; }
    .facts div { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0.5rem; }
    .facts dt { color: var(--soft); }
    table { border-collapse: collapse; width: 100%; }
    caption { text-align: left; color: var(--soft); font-size: 0.8125rem; padding-bottom: 0.3rem; }
    th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; border-top: 1px solid var(--edge); }
    th { font-weight: 500; }
    thead th { font-weight: 600; font-size: 0.8125rem; color: var(--soft); border-top: 0; vertical-align: bottom; }
    .scroll { overflow-x: auto; }
    .store { display: none; }
    .hosts { table-layout: fixed; }
    .hosts th:nth-child(1) { width: 30%; }
    .hosts th:nth-child(2), .hosts th:nth-child(5) { width: 19%; }
    .hosts th:nth-child(3) { width: 15%; }
    .dates td:nth-child(2) { white-space: nowrap; }
    details.host { border: 1px solid var(--edge); border-radius: 0.5rem; margin: 0.5rem 0; padding: 0 0.9rem; }
    details.host[open] { padding-bottom: 0.9rem; }
    details.host > summary { padding: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; align-items: baseline; }
    details.host > summary::before { content: "▸"; color: var(--soft); }
    details.host[open] > summary::before { content: "▾"; }
    summary { cursor: pointer; list-style: none; }
    summary::-webkit-details-marker { display: none; }
    .certificate { border-top: 1px solid var(--edge); padding: 0.3rem 0; }
    .certificate > summary { list-style: disclosure-closed inside; }
    .certificate[open] > summary { list-style: disclosure-open inside; }
    .certificate .facts { margin: 0.3rem 0 0.5rem 1rem; }
    .findings { list-style: none; padding: 0; display: grid; gap: 0.5rem; }
    .findings li { border-left: 4px solid var(--tone); padding: 0.1rem 0 0.1rem 0.75rem; }
    .findings .help { margin-top: 0.2rem; white-space: pre-wrap; }
    .findings .where { color: var(--soft); }
    .code { font-weight: 600; }
    .aside { color: var(--soft); }
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
    .legend { display: grid; gap: 0.3rem; }
    .legend div { display: grid; grid-template-columns: 11rem 1fr; gap: 0.5rem; }
    footer { border-top: 1px solid var(--edge); margin-top: 2rem; }
    footer .aside { margin-top: 0.7rem; max-width: 50rem; }
    @media (min-width: 60rem) { .banner .facts { grid-template-columns: 1fr 1fr; } }
    @media screen and (max-width: 48rem) {
      body { padding: 0.6rem; }
      h1 { font-size: 1.3rem; }
      .facts div, .legend div { grid-template-columns: 1fr; gap: 0; }
      .facts, .legend { gap: 0.5rem; }
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
      details.host { padding: 0 0.6rem; }
      .tree li { display: block; }
      .tree ul { margin: 0.6rem 0 0 1.2rem; }
      .tree li > .box:not(:last-child)::after { display: none; }
      .tree ul > li::after { top: -0.6rem; }
      .tree ul > li:first-child::after { top: -0.6rem; }
      .tree ul > li:last-child::after, .tree ul > li:only-child::after { display: block; bottom: auto; height: 1.9rem; }
      .box { width: auto; }
    }
    @media print {
      :root { color-scheme: light; }
      html { font-size: 12px; }
      body { max-width: none; padding: 0; }
      .scroll { overflow: visible; }
      tr, .box, .findings li, .banner { break-inside: avoid; }
      h2, h3, h4, summary, caption { break-after: avoid; }
      details.host { break-inside: auto; }
      .badge, .bar rect, .notice { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      .box { width: 10.5rem; }
      a { color: inherit; text-decoration: none; }
    }

    """
}
