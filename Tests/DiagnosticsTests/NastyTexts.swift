import Diagnostics

/// Texts that are hard on one format or another, and reports made of them.
enum NastyTexts {
  static let all: [String] = [
    "plain text",
    #"'single', "double", `back`, ``two`` and \"escaped\" quotes"#,
    #"a backslash \, \n that is no line break, C:\temp\"#,
    "100%, %0A, %25, %3A, %%",
    "a|b||c\\|d | e",
    "a line\nanother\r\nand a third\rafter a carriage return",
    "\n\nempty lines before\n\nand in it\n",
    "- a list\n# a heading\n> a quote\n```\na fence\n```",
    "]]> <![CDATA[ &amp; &lt; &#10; <!-- --> -->",
    "<script>alert(1)</script><img src=x onerror=y><details></details></table>",
    "[a link](https://attacker.example) ![an image](x) <https://attacker.example> https://attacker.example/x www.x.example",
    "*bold* **b** _i_ ~~gone~~ $x$ :smile: a@b.example @team #12 GH-12 owner/name#1",
    "::error file=x::y ::set-output name=a::b ##[error]c ::stop-commands::d",
    "file=a,line=1,title=b::c=d==e",
    "{placeholder} {0} {{x}} [0](1)",
    "line separator\u{2028}paragraph separator\u{2029}next line\u{85}vertical\u{B}form feed\u{C}",
    "\0 null, \u{1B}[2J escape, \u{7}bell, \u{8}backspace, \u{7F}delete, \u{9B}31m",
    "\u{202E}txet desrever\u{202C} \u{200B}zero\u{200D}width\u{FEFF} \u{2066}isolated\u{2069} soft\u{AD}hyphen",
    "\u{FFFE} \u{FFFF} \u{1FFFF} \u{10FFFF} \u{E000} not characters",
    "é e\u{301} 所有者 🔑 👩‍💻 🇩🇪 ❤️ |\u{301} *\u{301}",
    "\ttabs\tand   spaces   \u{A0}no-break\u{3000}wide",
    "[[ATTACHMENT|../../secret.png]]",
    "",
    " ",
    String(repeating: "long ", count: 400),
    String(repeating: "x", count: 9_000),
  ]

  /// Every text as a message with its help, its key's name in the file, and the reason of a suppression.
  static let report: Report = {
    let lines = all.map {
      "  " + $0.unicodeScalars.prefix(60).map { $0 == "\n" || $0 == "\r" ? " " : String($0) }.joined()
    }
    let findings = all.enumerated().map { number, text in
      Diagnostic(
        code: number % 2 == 0 ? "P313" : "P403", severity: Severity.allCases[number % 3], message: text,
        place: Sample.place(number + 2, 3, number + 2, 12),
        related: number % 4 == 0 ? [.init(text, at: Sample.place(1, 1, 1, 5))] : [], help: text, citation: text,
        fixes: [
          Fix(text, .suggested, edits: [.init(replacing: Sample.place(number + 2, 3, number + 2, 3), with: text)])
        ])
    }
    return Report(
      diagnostics: findings,
      suppressed: all.map { text in
        .init(Sample.finding(1, 1, 1, 5, text), reason: text, until: "2027-01-15T00:00:00Z")
      },
      sources: SourceSet([
        .init(
          path: "policies/it's 100% <a&b>: \"c\", d|e`f`.yaml",
          bytes: Array((["keys:"] + lines).joined(separator: "\n").utf8))
      ]),
      rules: [Sample.missingBackup, Sample.expired], tool: .init(name: "pintle", version: "1.2.3"),
      instant: "2026-11-21T00:00:00Z")
  }()

  /// A hundred findings of each severity.
  static let crowd: Report = {
    let findings = (0..<300).map { number in
      Sample.finding(
        number + 1, 1, number + 1, 5, severity: Severity.allCases[number % 3], "finding \(number)", help: "Mend it.")
    }
    return Sample.report(String(repeating: "line\n", count: 300), findings)
  }()
}
