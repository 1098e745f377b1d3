import Diagnostics
import PinFormat

/// `# pintle:…` as it stands in the text, before anybody knows whether it is a comment at all.
struct SuppressionComment {
  var place: Place
  /// From `pintle:` to the end of the line.
  var text: String

  /// Finds everything in a file that looks like a suppression: libyaml doesn't tell of comments.
  static func find(in bytes: [UInt8], file: FileID, firstLineShift: Int) -> [SuppressionComment] {
    var found: [SuppressionComment] = []
    let marker = Array("pintle:".utf8)
    var line = 1
    var start = 0
    while start < bytes.count {
      let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      var end = feed
      if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      var index = start
      while let hash = bytes[index..<end].firstIndex(of: UInt8(ascii: "#")) {
        index = hash + 1
        // YAML begins a comment only at the start of a line or after white space.
        guard hash == start || bytes[hash - 1] == UInt8(ascii: " ") else { continue }
        while index < end, bytes[index] == UInt8(ascii: " ") { index += 1 }
        let rest = bytes[index..<end]
        guard rest.starts(with: marker), rest.count > marker.count, isLetter(rest[index + marker.count]) else {
          continue
        }
        let shift = line == 1 ? firstLineShift : 0
        let column = scalars(bytes[start..<hash]) + shift + 1
        let place = Place(
          file: file, start: Position(line: line, column: column),
          end: Position(line: line, column: column + scalars(bytes[hash..<end])))
        found.append(SuppressionComment(place: place, text: String(decoding: rest, as: UTF8.self)))
        break
      }
      start = feed + 1
      line += 1
    }
    return found
  }

  /// What the comment accepts and until when, or why it says neither.
  func read() throws(Malformed) -> Suppression {
    let words = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: true).map(String.init)
    guard words[0] == "pintle:allow" else { throw Malformed("'\(words[0])' isn't a word that Pintle knows") }
    guard words.count > 1, Self.isCode(words[1]) else { throw Malformed("a rule's code (P404) is missing") }
    guard words.count > 2, words[2] == "until" else { throw Malformed("'until' and an end date are missing") }
    guard words.count > 3, words[3].utf8.last == UInt8(ascii: ":") else {
      throw Malformed("an end date with a ':' behind it is missing")
    }
    let date = String(words[3].dropLast())
    guard let until = Instant(written: date) else { throw Malformed("'\(date)' isn't a date (2027-01-15)") }
    var reason = words.count > 4 ? words[4][...] : ""
    reason = reason.drop { $0 == " " }
    while reason.last == " " { reason.removeLast() }
    guard !reason.isEmpty else { throw Malformed("the reason is missing") }
    return Suppression(place: place, code: words[1], until: until, reason: String(reason))
  }

  /// Why a comment that looks like a suppression isn't one.
  struct Malformed: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  private static func isCode(_ text: String) -> Bool {
    text.utf8.count == 4 && text.utf8.first == UInt8(ascii: "P")
      && text.utf8.dropFirst().allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }

  private static func scalars(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 & 0xC0 != 0x80 }
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

  /// Takes a value's text out.
  mutating func drop(within value: Place, style: YAMLScalar.Style) {
    guard next < found.count else { return }
    var start = value.start
    // The line of a block's `|` may end in a comment; its text begins below.
    if style == .block { start = Position(line: Int(start.line) + 1, column: 1) }
    while next < found.count, found[next].place.start < start {
      comments.append(found[next])
      next += 1
    }
    while next < found.count, found[next].place.start < value.end { next += 1 }
  }
}
