import Diagnostics

/// How a path, a visit or a host is: the worst comes first.
enum Standing: Int, Comparable, CaseIterable {
  /// A client would be refused, or a server must change.
  case fails
  /// Nobody knows: it could not be asked.
  case unreached
  /// Nothing fails, but something needs attention.
  case caution
  case holds
  /// Trust evaluation succeeds, and nothing is pinned.
  case trusted
  /// The server has no such key or version: there is nothing to judge.
  case nothing

  static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }

  var tone: Tone {
    switch self {
    case .fails: .bad
    case .unreached: .far
    case .caution: .care
    case .holds: .good
    case .trusted: .calm
    case .nothing: .none
    }
  }

  /// The sign that is before the words.
  var sign: String { tone.sign }

  /// Its class in the style sheet.
  var kind: String { tone.kind }

  /// A host that is so.
  var words: String {
    switch self {
    case .fails: "does not hold"
    case .unreached: "could not be probed"
    case .caution: "holds, look at it"
    case .holds: "holds"
    case .trusted: "trusted, not pinned"
    case .nothing: "nothing to judge"
    }
  }
}

extension Markup {
  /// A sign and words, in the colour of the standing.
  mutating func badge(_ standing: Standing, _ words: String) { badge(standing.tone, words) }
}
