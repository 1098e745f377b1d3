/// How every page looks: colours in light and dark, text, banner, tables, and what folds.
///
/// Every pair of a text's colour and its ground has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
package enum SharedStyle {
  /// What every page begins with.
  package static let foundation: StaticString = """
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

    """

  /// A host's part of the page, which opens and closes.
  package static let folds: StaticString = """
    details.host { border: 1px solid var(--edge); border-radius: 0.5rem; margin: 0.5rem 0; padding: 0 0.9rem; }
    details.host[open] { padding-bottom: 0.9rem; }
    details.host > summary { padding: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; align-items: baseline; }
    details.host > summary::before { content: "▸"; color: var(--soft); }
    details.host[open] > summary::before { content: "▾"; }
    summary { cursor: pointer; list-style: none; }
    summary::-webkit-details-marker { display: none; }

    """
}
