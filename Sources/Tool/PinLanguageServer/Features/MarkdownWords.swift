import Diagnostics
import PinFormat
import PinRules

/// Text of a policy in Markdown: it comes from other people, and must stay what it is.
enum MarkdownWords {
  /// The text between as many backticks as it takes, with nothing in it that can't be seen.
  static func code(_ text: String) -> String {
    let shown = VisibleText.of(text)
    guard shown.contains("`") else { return "`" + shown + "`" }
    return "`` " + shown + " ``"
  }

  /// Words for people, with what Markdown and HTML would obey written out.
  static func plain(_ text: String) -> String {
    var escaped = ""
    for character in VisibleText.of(text) {
      if "\\`*_{}[]()<>#|!&~".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }

  /// `a`, `b` and 3 more.
  static func list(_ names: [String], most: Int = 6) -> String {
    var parts = names.prefix(names.count > most ? most - 1 : most).map { code($0) }
    if names.count > parts.count { parts.append("\(names.count - parts.count) more") }
    return parts.listed()
  }

  /// `2027-06-01T00:00:00Z`, in 192 days.
  static func instant(_ instant: Instant, now: Instant) -> String {
    let seconds = instant.seconds(since: now)
    if seconds == 0 { return "`\(instant)`, now" }
    let distance = Wording.duration(seconds < 0 ? -seconds : seconds)
    return "`\(instant)`, " + (seconds < 0 ? distance + " ago" : "in " + distance)
  }
}
