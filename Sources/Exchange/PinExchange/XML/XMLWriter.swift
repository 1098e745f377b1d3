/// Writes a document as people do: two or four spaces a level, one element a line where it holds text alone.
package struct XMLWriter {
  private let indentation: String
  private var lines: [String]
  private var open: [String] = []

  /// - Parameters:
  ///   - indentation: What is before an element, once for each that it is in.
  ///   - declaration: The first line.
  package init(indentation: String, declaration: String = "<?xml version=\"1.0\" encoding=\"utf-8\"?>") {
    self.indentation = indentation
    lines = [declaration]
  }

  /// A line as it is, such as a document type.
  package mutating func verbatim(_ line: String) { lines.append(line) }

  /// A comment, a line of it for each given one.
  ///
  /// `--` can't be in a comment (XML 1.0, section 2.5), so a space parts the two.
  package mutating func comment(_ text: [String]) {
    let shown = text.map { line in
      var safe = ""
      for scalar in line.unicodeScalars {
        if scalar == "-", safe.hasSuffix("-") { safe += " " }
        if scalar == "\t" || scalar.value >= 0x20, scalar.value != 0xFFFE, scalar.value != 0xFFFF {
          safe.unicodeScalars.append(scalar)
        }
      }
      return safe
    }
    guard let first = shown.first else { return }
    if shown.count == 1 {
      line("<!-- \(first)\(first.hasSuffix("-") ? " " : "") -->")
    } else {
      line("<!--")
      for text in shown { line(text.isEmpty ? "" : "  " + text + (text.hasSuffix("-") ? " " : "")) }
      line("-->")
    }
  }

  package mutating func start(_ name: String, _ attributes: [(String, String)] = []) {
    line("<\(name)\(Self.written(attributes))>")
    open.append(name)
  }

  package mutating func end() {
    guard let name = open.popLast() else { return }
    line("</\(name)>")
  }

  /// An element that holds text alone, or nothing.
  package mutating func element(_ name: String, _ attributes: [(String, String)] = [], text: String? = nil) {
    let tag = name + Self.written(attributes)
    line(text.map { "<\(tag)>\(Self.escaped($0))</\(name)>" } ?? "<\(tag) />")
  }

  /// An element that can hold nothing, written as property lists do.
  package mutating func empty(_ name: String) { line("<\(name)/>") }

  /// The whole document; elements that are still open are ended.
  package consuming func bytes() -> [UInt8] {
    while !open.isEmpty { end() }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private mutating func line(_ text: String) {
    lines.append(text.isEmpty ? "" : String(repeating: indentation, count: open.count) + text)
  }

  private static func written(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
  }

  /// Text as it may be between tags and between quotation marks; characters that XML can't have are left out.
  package static func escaped(_ text: String) -> String {
    var written = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": written += "&amp;"
      case "<": written += "&lt;"
      case ">": written += "&gt;"
      case "\"": written += "&quot;"
      case "\t", "\n", "\r": written += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
      default: written.unicodeScalars.append(scalar)
      }
    }
    return written
  }
}
