/// Writes JSON for people and programs: two spaces of indentation, members in the order in which they are written.
///
/// Characters that would steer a terminal, or can't be seen, are written as `\u` escapes: the text stays what it was.
package struct JSONWriter {
  package private(set) var text = ""
  private var depth = 0
  private var isFirst = true

  package init() {}

  package mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, "{", "}", body)
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, "[", "]", body)
  }

  package mutating func member(_ name: String?, _ value: String) {
    begin(name)
    quote(value)
  }

  package mutating func member(_ name: String?, _ value: Int) {
    begin(name)
    text += String(value)
  }

  package mutating func member(_ name: String?, _ value: Bool) {
    begin(name)
    text += value ? "true" : "false"
  }

  private mutating func nest(_ name: String?, _ open: String, _ close: String, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    text += open
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    if !isFirst { breakLine() }
    isFirst = false
    text += close
  }

  private mutating func begin(_ name: String?) {
    if !isFirst { text += "," }
    if depth > 0 { breakLine() }
    isFirst = false
    guard let name else { return }
    quote(name)
    text += ": "
  }

  private mutating func breakLine() {
    text += "\n" + String(repeating: "  ", count: depth)
  }

  private mutating func quote(_ value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where VisibleText.isShown(scalar, after: nil): text.unicodeScalars.append(scalar)
      default:
        for unit in UTF16.encode(scalar) ?? .init() { escape(unit) }
      }
    }
    text += "\""
  }

  private mutating func escape(_ unit: UInt16) {
    let digits = String(unit, radix: 16)
    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
