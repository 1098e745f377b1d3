import Diagnostics
import PinFormat

/// A policy file's bytes, made fit for libyaml: UTF-8 without a byte order mark, without control characters, and with
/// `\n` or `\r\n` as its only line breaks.
///
/// Whatever is in the way is a problem with a place, and is replaced one character for one, so that reading can go
/// on and every place stays true.
struct SourceText {
  /// What libyaml reads; nil where the file isn't a text at all.
  private(set) var bytes: [UInt8]?
  private(set) var problems: [PolicyProblem] = []
  /// True where white space was replaced, after which libyaml's complaints would only repeat ours.
  private(set) var isMended = false
  /// How many characters were taken from the front of the first line.
  private(set) var firstLineShift = 0

  private let file: FileID
  private var line = 1
  private var column = 1

  init(_ source: [UInt8], file: FileID) {
    self.file = file
    var text = source
    do {
      _ = try UTF8Span(validating: source.span)
    } catch {
      text = Array(String(decoding: source, as: UTF8.self).utf8)
      advance(over: source[..<error.byteOffsets.lowerBound])
      add(.invalidUTF8)
      line = 1
      column = 1
    }
    if text.starts(with: Self.byteOrderMark) {
      add(.byteOrderMark)
      text.removeFirst(3)
      firstLineShift = 1
      column = 2
    }
    // Nearly all files need no replacement, which one fast pass over all bytes shows.
    let isText = TextScan.isPlainASCII(text.span) || replaceUnfit(in: &text)
    bytes = isText ? text : nil
  }

  private mutating func advance(over bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Replaces what libyaml would stumble over, and answers false where the file holds a NUL: that isn't a text.
  private mutating func replaceUnfit(in text: inout [UInt8]) -> Bool {
    var write = 0
    var read = 0
    var reportedLine = 0
    /// Takes a character of so many bytes, or a byte in its place.
    func take(_ width: Int, as replacement: UInt8? = nil) {
      if let replacement {
        text[write] = replacement
      } else if read > write {
        for offset in 0..<width { text[write + offset] = text[read + offset] }
      }
      write += replacement == nil ? width : 1
      read += width
    }
    while read < text.count {
      let byte = text[read]
      switch byte {
      case 0x20..<0x7F: take(1)
      case UInt8(ascii: "\r") where read + 1 < text.count && text[read + 1] == UInt8(ascii: "\n"): take(1)
      case UInt8(ascii: "\n"):
        take(1)
        line += 1
        column = 0
      case 0:
        add(.invalidYAML(reason: "the file contains the control character U+0000"))
        return false
      default:
        let width = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard let kind = Self.objection(to: text[read..<min(read + width, text.count)]) else {
          take(width)
          break
        }
        // One problem per line is enough for a file that is indented with tabs.
        if reportedLine != line { add(kind) }
        reportedLine = line
        isMended = true
        take(width, as: UInt8(ascii: " "))
      }
      column += 1
    }
    text.removeLast(text.count - write)
    return true
  }

  private static func objection(to character: ArraySlice<UInt8>) -> PolicyProblem.Kind? {
    var scalar: UInt32 = 0
    for (index, byte) in character.enumerated() {
      let mask: UInt8 = index > 0 ? 0x3F : character.count == 1 ? 0x7F : 0xFF >> UInt8(character.count + 1)
      scalar = scalar << 6 | UInt32(byte & mask)
    }
    switch scalar {
    case 0x09: return .tab
    case 0x0D: return .invalidYAML(reason: "there is a carriage return without a line feed")
    case 0x85, 0x2028, 0x2029:
      // YAML 1.1 ends a line, and so a comment, at these characters; YAML 1.2 and editors don't.
      return .invalidYAML(reason: "\(name(scalar)) is a line break to some readers only")
    case ..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF:
      return .invalidYAML(reason: "the file contains the control character \(name(scalar))")
    case 0xFEFF: return .invalidYAML(reason: "the file contains an invisible \(name(scalar))")
    default: return nil
    }
  }

  private static func name(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  private mutating func add(_ kind: PolicyProblem.Kind) {
    let place = Place(
      file: file, start: Position(line: line, column: column), end: Position(line: line, column: column + 1))
    problems.append(PolicyProblem(kind, at: place))
  }
}
