/// Whether something on the page is good or bad.
package enum Tone: String, Sendable, CaseIterable {
  case good
  /// Somebody has to do something.
  case bad
  /// Somebody should look at it.
  case care
  /// Nobody knows.
  case far
  /// Well, and nothing to protect.
  case calm
  case none

  /// The sign that is before the words, so that the colour never says it alone.
  package var sign: String {
    switch self {
    case .bad: "✗"
    case .far: "?"
    case .care: "!"
    case .good, .calm: "✓"
    case .none: "–"
    }
  }

  /// Its class in the style sheet.
  package var kind: String { rawValue }
}

extension Markup {
  /// A sign and words, in the colour of the tone.
  package mutating func badge(_ tone: Tone, _ words: String) {
    element(.span, .kind("badge " + tone.kind)) { markup in
      markup.element(.span, .kind("sign"), .hidden, text: tone.sign)
      markup.text(" " + words)
    }
  }

  /// The page's title, its sign in the colour of what it is in.
  package mutating func headline(_ tone: Tone, _ text: String) {
    element(.h1) { markup in
      markup.element(.span, .kind("sign"), .hidden, text: tone.sign)
      markup.text(" " + text)
    }
  }

  /// A term and what it is, in a list of them.
  package mutating func fact(_ term: String, _ content: (inout Markup) -> Void) {
    element(.div) { markup in
      markup.element(.dt, text: term)
      markup.element(.dd, content: content)
    }
  }
}
