import Diagnostics
package import PinFormat
import PinPolicy

/// A policy file's text, line by line, with the comments of each line apart, so that a suppression can be added to one.
package struct PolicyText: Sendable {
  struct Line: Sendable {
    var text: String
    /// A comment that says where the line comes from: behind it, or above it where there is no room.
    var origin: String?
    /// `pintle:allow …`, which has to be behind it.
    var suppression: String?
  }

  var lines: [Line] = []

  /// The longest line that is written where it can be broken.
  static let width = 120

  mutating func add(_ text: String, origin: String? = nil) {
    lines.append(Line(text: text, origin: origin))
  }

  /// A comment in lines of at most ``width``.
  mutating func comment(_ text: String, indent: Int = 0) {
    let start = String(repeating: " ", count: indent) + "#"
    var line = start
    for word in text.split(separator: " ") {
      if line.utf8.count + 1 + word.utf8.count > Self.width, line != start {
        add(line)
        line = start
      }
      line += " " + word
    }
    add(line)
  }

  /// Accepts findings until an instant.
  ///
  /// - Parameters:
  ///   - codes: The codes of rules by the number of the line, from 1, of the text as it is without suppressions.
  ///   - until: When they are back.
  ///   - reason: The reason for suppressing a line's codes.
  package mutating func accept(_ codes: [Int: Set<String>], until: Instant, reason: ([String]) -> String) {
    let numbers = lineNumbers()
    for (index, number) in numbers.enumerated() {
      guard let accepted = codes[number]?.sorted() else { continue }
      lines[index].suppression = SuppressionComment.written(accepted, until: until, reason: reason(accepted))
    }
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lines.count * 64)
    for line in lines {
      if Self.isAbove(line), let origin = line.origin {
        let indent = line.text.utf8.prefix { $0 == UInt8(ascii: " ") }
        bytes += indent
        bytes += Array("# \(origin)\n".utf8)
      }
      bytes += Array(line.text.utf8)
      if let suppression = line.suppression {
        bytes += Array(" \(suppression)".utf8)
      } else if let origin = line.origin, !Self.isAbove(line) {
        bytes += Array(" # \(origin)".utf8)
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// At which line of the written text each line is.
  private func lineNumbers() -> [Int] {
    var number = 0
    return lines.map { line in
      number += Self.isAbove(line) ? 2 : 1
      return number
    }
  }

  private static func isAbove(_ line: Line) -> Bool {
    guard let origin = line.origin else { return false }
    return line.suppression != nil || line.text.utf8.count + origin.utf8.count + 3 > width
  }
}
