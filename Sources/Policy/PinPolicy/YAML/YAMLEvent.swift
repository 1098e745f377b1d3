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

/// The anchor and the tag that are before a node: libyaml says that they are there, but not where.
struct NodeProperties {
  private(set) var found: [(oddity: YAMLEvent.Oddity, place: Place)] = []
  /// Where the node itself begins.
  private(set) var end: Position

  init(_ text: some Collection<UInt8>, from start: Position, file: FileID) {
    var rest = text[...]
    var position = start
    func advance() {
      guard let byte = rest.popFirst() else { return }
      if byte == UInt8(ascii: "\n") {
        position = Position(line: Int(position.line) + 1, column: 1)
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
      // The column counts characters, so skip the other bytes of this one.
      while let next = rest.first, next & 0xC0 == 0x80 { rest = rest.dropFirst() }
    }
    while let first = rest.first {
      switch first {
      case UInt8(ascii: "&"), UInt8(ascii: "!"):
        let begin = position
        let word = rest
        let isVerbatim = word.dropFirst().first == UInt8(ascii: "<")
        while let byte = rest.first {
          if rest.startIndex > word.startIndex, !isVerbatim, Self.endsProperty(byte) { break }
          advance()
          if isVerbatim, byte == UInt8(ascii: ">") { break }
        }
        let name = String(decoding: word[..<rest.startIndex], as: UTF8.self)
        let place = Place(file: file, start: begin, end: position)
        found.append((first == UInt8(ascii: "!") ? .tag(name) : .anchor(String(name.dropFirst())), place))
      case UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      case UInt8(ascii: "#"):
        while let byte = rest.first, byte != UInt8(ascii: "\n") { advance() }
      default:
        end = position
        return
      }
    }
    end = position
  }

  private static func endsProperty(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ","), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}
