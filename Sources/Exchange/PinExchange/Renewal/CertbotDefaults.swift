import Diagnostics
import PinPolicy

/// certbot's `cli.ini`, in the form that Python's ConfigArgParse reads: `key = value`, `key: value`, `key value`, or `key`.
///
/// It overrides a lineage, but only if certbot reads it, which depends on how certbot is started.
struct CertbotDefaults {
  /// The folder that it is in.
  let folder: String
  let statement: RenewalStatement
  private(set) var hooks = CertbotHooks()

  init(_ file: RenewalFile) {
    folder = file.folder
    let path = VisibleText.of(file.path)
    var statement = RenewalStatement(way: .certbotDefaults, place: file.place(0..<0))
    var found: (answer: RenewalSetting.Answer, reason: String, range: Range<Int>)?
    for (text, range) in file.lines {
      guard let first = text.first, !"#;[".contains(first), !text.hasPrefix("---") else { continue }
      let name = String(text.prefix { !":=; \t".contains($0) })
      let key = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
      let rest = text.dropFirst(name.count).drop { ":= \t".contains($0) }
      let value = Self.value(rest)
      switch key {
      case "preferred-chain": statement.choices.append(.init("preferred chain", value, at: file.place(range)))
      case "preferred-profile", "required-profile":
        statement.choices.append(.init("profile", value, at: file.place(range)))
      case "reuse-key", "no-reuse-key", "new-key":
        let answer: RenewalSetting.Answer
        switch value.lowercased() {
        case "", "true", "yes", "on", "1": answer = key == "reuse-key" ? .keeps : .unknown
        case "false", "no", "off", "0": continue
        default: answer = .unknown
        }
        if answer >= found?.answer ?? .keeps {
          found = (answer, "'\(path)' has '\(VisibleText.of(String(text)))'", range)
        }
      case let hook where CertbotHooks.names.contains(hook.replacing("-", with: "_")):
        hooks.add(hook, value, of: file, at: file.place(range))
      default: continue
      }
    }
    if let found {
      statement = RenewalStatement(
        way: .certbotDefaults, answer: found.answer,
        reason: found.answer == .keeps
          ? found.reason : found.reason + ", which makes a new key if certbot reads that file",
        help: "Remove this line.", place: file.place(found.range), choices: statement.choices)
    }
    self.statement = statement
  }

  private static func value(_ text: Substring) -> String {
    if let mark = text.first, mark == "\"" || mark == "'" { return String(text.dropFirst().prefix { $0 != mark }) }
    // A comment begins after white space: a hook may have ';'.
    let end = text.indices.first { index in
      "#;".contains(text[index]) && (index == text.startIndex || text[text.index(before: index)].isWhitespace)
    }
    return String(text[..<(end ?? text.endIndex)].reversed().drop(while: \.isWhitespace).reversed())
  }
}
