import Diagnostics

/// One step of a YAML document, with its place.
///
/// A scalar's text isn't part of it, nor is what has no place in a policy: ``YAMLParser`` has both, so that nobody pays
/// for texts that are only looked at.
struct YAMLEvent {
  enum Kind: UInt8 {
    case scalar
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

  var kind: Kind
  /// How a scalar is written.
  var style = YAMLScalar.Style.plain
  /// True for a scalar without any text.
  var isEmpty = false
  var place: Place

  /// True for the value of `key:` with nothing behind it.
  var isNothing: Bool { kind == .scalar && isEmpty && style == .plain }
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
  enum Style: UInt8, Sendable {
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
