/// HTML as it is written: elements close themselves, and all text and each attribute's value is escaped.
///
/// What comes out is well-formed XML too, so that any parser can read it. There is no way to write text as it is but
/// ``style(_:)``, which takes a literal of this program.
package struct Markup: Sendable {
  /// What was written so far.
  package private(set) var html = ""

  /// Begins with nothing.
  package init() {}

  /// An element and what is in it.
  package mutating func element(_ tag: Tag, _ attributes: Attribute?..., content: (inout Markup) -> Void) {
    open(tag, attributes)
    content(&self)
    html += "</" + tag.rawValue + ">"
  }

  /// An element with nothing but text in it.
  package mutating func element(_ tag: Tag, _ attributes: Attribute?..., text: String) {
    open(tag, attributes)
    self.text(text)
    html += "</" + tag.rawValue + ">"
  }

  /// An element that has no content: `meta`, or a shape of a drawing.
  package mutating func empty(_ tag: Tag, _ attributes: Attribute?...) {
    open(tag, attributes)
    html.removeLast()
    html += "/>"
  }

  /// Text, made visible, shortened where nobody would read it all, and escaped.
  ///
  /// An instant at midnight is shown as its day.
  package mutating func text(_ text: String) {
    html += Escaping.escaped(ShownText.of(text.replacing("T00:00:00Z", with: "")))
  }

  /// The name of a host, which breaks at its dots if it is too long for a line.
  package mutating func host(_ name: String) {
    for (number, part) in name.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
      if number > 0 {
        text(".")
        empty(.wbr)
      }
      text(String(part))
    }
  }

  /// The style sheet, in parts that follow one another.
  package mutating func style(_ parts: StaticString...) {
    html += "\n<style>\n" + parts.map(\.description).joined() + "</style>"
  }

  /// What is before the root element.
  package mutating func documentType() {
    html += "<!DOCTYPE html>"
  }

  private mutating func open(_ tag: Tag, _ attributes: [Attribute?]) {
    // One line for each block keeps the source, and the diff of two pages, readable.
    if tag.isBlock { html += "\n" }
    html += "<" + tag.rawValue
    for case let attribute? in attributes {
      html += " " + attribute.name + "=\"" + Escaping.escaped(ShownText.of(attribute.value)) + "\""
    }
    html += ">"
  }
}

/// What HTML and XML want written differently, in text and in quoted values.
enum Escaping {
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ !isSpecial($0) }) { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): result += "&amp;".utf8
      case UInt8(ascii: "<"): result += "&lt;".utf8
      case UInt8(ascii: ">"): result += "&gt;".utf8
      case UInt8(ascii: "\""): result += "&quot;".utf8
      case UInt8(ascii: "'"): result += "&#39;".utf8
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
    default: false
    }
  }
}
