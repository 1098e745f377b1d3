import Diagnostics
package import PinFormat

/// `# pintle:…` as it is in the text, before anybody knows whether it is a comment at all.
package struct SuppressionComment {
  var place: Place
  /// From `pintle:` to the end of the line.
  var text: String

  /// A comment that accepts findings until an instant, as it is written.
  package static func written(_ codes: some Sequence<String>, until: Instant, reason: String) -> String {
    "# pintle:allow \(codes.joined(separator: ", ")) until \(until.written): \(reason)"
  }

  /// Finds everything in a file that looks like a suppression: libyaml doesn't report comments.
  static func find(in bytes: [UInt8], file: FileID, firstLineShift: Int) -> [SuppressionComment] {
    var found: [SuppressionComment] = []
    let marker = Array("pintle:".utf8)
    // Made only if needed, because most files have no suppression.
    var lines: LineOffsets?
    /// Behind the line that was looked at last, which may hold many a marker.
    var feed = 0
    var index = 0
    while let hash = bytes[index...].firstIndex(of: UInt8(ascii: "#")) {
      index = hash + 1
      // YAML begins a comment only at the start of a line or after white space.
      let before = hash == 0 ? UInt8(ascii: "\n") : bytes[hash - 1]
      guard before == UInt8(ascii: "\n") || before == UInt8(ascii: " ") else { continue }
      while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
      guard bytes[index...].starts(with: marker) else { continue }
      if feed < index { feed = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count }
      let end = bytes[feed - 1] == UInt8(ascii: "\r") ? feed - 1 : feed
      let rest = bytes[index..<end]
      guard looksLikeWord(rest.dropFirst(marker.count)) else { continue }
      let known = lines ?? LineOffsets(bytes)
      lines = known
      let shift = known.line(of: hash) == 1 ? firstLineShift : 0
      let (from, to) = (known.position(of: hash), known.position(of: end))
      let place = Place(
        file: file, start: Position(line: Int(from.line), column: Int(from.column) + shift),
        end: Position(line: Int(to.line), column: Int(to.column) + shift))
      found.append(SuppressionComment(place: place, text: String(decoding: rest, as: UTF8.self)))
      // At most one per line.
      index = end
    }
    return found
  }

  /// What the comment accepts and until when, one for each of its codes, or why it says neither.
  func read() throws(Malformed) -> [Suppression] {
    var words = text.split(separator: " ", omittingEmptySubsequences: true)[...]
    let first = words.popFirst() ?? ""
    guard first == "pintle:allow" else { throw Malformed("'\(first)' isn't a word that Pintle knows") }
    var codes: [String] = []
    repeat {
      codes += (words.first ?? "").split(separator: ",").map(String.init)
    } while words.popFirst()?.last == ","
    guard !codes.isEmpty, codes.allSatisfy({ Self.isCode($0, "P") || Self.isCode($0, "X") }) else {
      throw Malformed("a rule's code (P404) is missing")
    }
    guard words.popFirst() == "until" else { throw Malformed("'until' and an end date are missing") }
    guard let date = words.popFirst(), date.utf8.last == UInt8(ascii: ":") else {
      throw Malformed("an end date with a ':' behind it is missing")
    }
    guard let until = Instant(written: String(date.dropLast())) else {
      throw Malformed("'\(date.dropLast())' isn't a date (2027-01-15)")
    }
    guard !words.isEmpty else { throw Malformed("the reason is missing") }
    let reason = words.joined(separator: " ")
    // The reason is shown with each finding that it suppresses.
    guard reason.utf8.count <= FormatLimits.textBytes else {
      throw Malformed("the reason has \(reason.utf8.count) bytes; the limit is \(FormatLimits.textBytes)")
    }
    return codes.map { Suppression(place: place, code: $0, until: until, reason: reason) }
  }

  /// Why a comment that looks like a suppression isn't one.
  struct Malformed: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  /// Whether a text is a code of a family: `P` for Pintle's rules, `X` for the user's own.
  package static func isCode(_ text: String, _ family: Unicode.Scalar) -> Bool {
    text.utf8.count == 4 && text.utf8.first == UInt8(ascii: family)
      && text.utf8.dropFirst().allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// True for `pintle:WORD`, and for `pintle: allow`, which is meant for it; not for prose about Pintle.
  private static func looksLikeWord(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.first.map(isLetter) == true
      || rest.first == UInt8(ascii: " ")
        && rest.drop { $0 == UInt8(ascii: " ") }.starts(with: Array("allow".utf8))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }
}

/// Tells comments from what only looks like one inside a value's text.
struct CommentFilter {
  private let found: [SuppressionComment]
  /// Those that turned out to be comments so far.
  private var comments: [SuppressionComment] = []
  /// The first that may still turn out to be text: values come in order of place.
  private var next = 0

  init(_ found: [SuppressionComment]) {
    self.found = found
  }

  /// All that no value took.
  var kept: [SuppressionComment] { comments + found[next...] }

  /// Removes a value's text.
  mutating func drop(within value: Place, style: YAMLScalar.Style) {
    guard next < found.count else { return }
    var start = value.start
    // A block scalar's `|` may be followed by a comment; its text begins on the next line.
    if style == .block { start = Position(line: Int(start.line) + 1, column: 1) }
    while next < found.count, found[next].place.start < start {
      comments.append(found[next])
      next += 1
    }
    while next < found.count, found[next].place.start < value.end { next += 1 }
  }
}
