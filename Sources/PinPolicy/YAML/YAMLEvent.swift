import Diagnostics

/// One step of a YAML document, with its place.
struct YAMLEvent {
  enum Content {
    case scalar(YAMLScalar)
    case alias
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
    case documentStart
    case documentEnd
    /// The stream is over, or can't be read further.
    case end
  }

  /// What YAML allows and a policy doesn't.
  enum Oddity {
    case tag(String)
    case anchor(String)
    case alias(String)
    case directive
  }

  var content: Content
  var place: Place
  /// Nearly always empty.
  var oddities: [(oddity: Oddity, place: Place)] = []
}

extension Place {
  /// The place, at least one character wide: an excerpt needs something to underline.
  var widened: Place {
    guard start == end else { return self }
    var wide = self
    wide.end.column += 1
    return wide
  }
}

/// A scalar as it was written: its text has no type until a field gives it one.
struct YAMLScalar: Sendable {
  enum Style: Sendable {
    case plain
    case quoted
    /// `|` or `>`, on lines of their own.
    case block
  }

  var text: String
  var style: Style

  /// True for `key:` with nothing behind it.
  var isNothing: Bool { text.isEmpty && style == .plain }
}
