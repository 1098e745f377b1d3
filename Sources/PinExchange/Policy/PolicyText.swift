import Diagnostics
package import PinFormat

/// A policy file's text, line by line, with the comments of each line apart, so that a suppression can be added to one.
package struct PolicyText: Sendable {
  struct Line: Sendable {
    var text: String
    /// A comment that says where the line comes from: behind it, or above it where there is no room.
    var origin: String?
    /// `pintle:allow …`, which has to stand behind it.
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
  ///   - reason: What is said of a line's codes.
  package mutating func accept(_ codes: [Int: Set<String>], until: Instant, reason: ([String]) -> String) {
    let numbers = lineNumbers()
    for (index, number) in numbers.enumerated() {
      guard let accepted = codes[number]?.sorted() else { continue }
      let list = accepted.joined(separator: ", ")
      lines[index].suppression = "# pintle:allow \(list) until \(Self.date(until)): \(reason(accepted))"
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

  /// At which line of the written text each line stands.
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

  /// A plain date where the instant is the beginning of a day.
  static func date(_ instant: Instant) -> String {
    let text = "\(instant)"
    return text.hasSuffix("T00:00:00Z") ? String(text.dropLast("T00:00:00Z".utf8.count)) : text
  }

  /// A text as a scalar: plain where it can only be read as that text, otherwise in quotes.
  static func scalar(_ text: String) -> String {
    let isPlain =
      text.utf8.first.map { isLetter($0) } == true && text.utf8.last != UInt8(ascii: " ")
      && text.utf8.last != UInt8(ascii: ":")
      && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || " ._-/@+=:'()".utf8.contains($0) }
      && !text.contains(": ") && !text.contains("  ")
      && !isTyped(text)
    return isPlain ? text : quoted(text)
  }

  /// A name of a key or a key set: in quotes where it begins as a number does, as every edit writes it.
  static func name(_ name: String) -> String {
    let isNumber = name.utf8.first.map(isDigit) == true
    return isNumber || isTyped(name) ? "\"\(name)\"" : name
  }

  static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return "\"\(quoted)\""
  }

  /// A host: names and IPv4 addresses are plain, an IPv6 address has colons.
  static func host(_ host: HostName) -> String {
    // What begins with a digit may look like a number (`1.5e3`), but not with any of these letters in it.
    let isWord = host.kind == .name && host.text.utf8.contains { isLetter($0) && !"abcdefox".utf8.contains($0) }
    return host.kind == .ipv4 || isWord && scalar("a" + host.text) == "a" + host.text && !isTyped(host.text)
      ? host.text : scalar(host.text)
  }

  private static func isTyped(_ text: String) -> Bool {
    ["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
