import Diagnostics

extension Markup {
  /// The head of a table: a title for each column.
  mutating func columns(_ titles: [String]) {
    element(.thead) { markup in
      markup.element(.tr) { markup in
        for title in titles { markup.element(.th, .columnHead, text: title) }
      }
    }
  }

  /// What the words of a page mean, for those who are sent it.
  mutating func legend(_ meanings: [(Tone, String, String)], remark: String) {
    element(.footer, .id(.legend)) { markup in
      markup.element(.h2, text: "How to read this")
      markup.element(.dl, .kind("legend")) { markup in
        for (tone, words, meaning) in meanings {
          markup.element(.div) { markup in
            markup.element(.dt) { $0.badge(tone, words) }
            markup.element(.dd, text: meaning)
          }
        }
      }
      markup.element(
        .p, .kind("aside"),
        text: remark
          + " The signs: ✓ nothing to do, ! look at it, ✗ somebody has to act, ? nobody knows, – doesn't apply.")
    }
  }
}

/// `12.34%` of hundredths of a percent.
func percent(_ hundredths: Int64) -> String {
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
}
