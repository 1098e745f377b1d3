package import PinFormat

/// Writes JSON for people and programs: two spaces of indentation, members in the order in which they are written.
///
/// All JSON that commands and reports print goes this way; what is signed or stored is canonical and compact, and has
/// writers of its own in `PinFormat`. A member that has no value is left out.
///
/// Characters that would steer a terminal, or can't be seen, are written as `\u` escapes: the text stays what it was.
package struct JSONWriter {
  package private(set) var text = ""
  private var depth = 0
  private var isFirst = true

  package init() {}

  /// A document that says what it is and who wrote it, ended by a line break.
  ///
  /// - Parameters:
  ///   - format: Its name, which a schema in `schemas/` has too.
  ///   - tool: Who wrote it.
  ///   - body: Writes its other members.
  /// - Returns: The whole document.
  package static func document(_ format: String, by tool: Report.Tool, _ body: (inout JSONWriter) -> Void) -> String {
    text { writer in
      writer.member("format", format)
      writer.member("version", 1)
      writer.object("tool") { writer in
        writer.member("name", tool.name)
        writer.member("version", tool.version)
      }
      body(&writer)
    }
  }

  /// One object, ended by a line break.
  package static func text(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.object(nil, body)
    return writer.text + "\n"
  }

  package mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, "{", "}", body)
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, "[", "]", body)
  }

  /// An array of texts.
  package mutating func array(_ name: String?, _ texts: some Sequence<String>) {
    array(name) { writer in texts.forEach { writer.member(nil, $0) } }
  }

  /// An array with an object for each item, of which `body` writes the members.
  package mutating func objects<Items: Sequence>(
    _ name: String?, _ items: Items, _ body: (Items.Element, inout JSONWriter) -> Void
  ) {
    array(name) { writer in
      for item in items { writer.object { body(item, &$0) } }
    }
  }

  package mutating func member(_ name: String?, _ value: String?) {
    guard let value else { return }
    begin(name)
    quote(value)
  }

  package mutating func member(_ name: String?, _ value: (some RawRepresentable<String>)?) {
    member(name, value?.rawValue)
  }

  package mutating func member(_ name: String?, _ value: Instant?) { member(name, value?.description) }

  package mutating func member(_ name: String?, _ value: Pin?) { member(name, value?.description) }

  /// A digest as all JSON of the tool has it.
  package mutating func digest(_ name: String?, _ digest: SHA256Digest?) {
    member(name, digest.map { "sha256:" + $0.hex })
  }

  package mutating func digests(_ name: String, _ digests: [SHA256Digest]) {
    array(name) { writer in digests.forEach { writer.digest(nil, $0) } }
  }

  package mutating func member(_ name: String?, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    begin(name)
    text += String(value)
  }

  package mutating func member(_ name: String?, _ value: Bool) {
    begin(name)
    text += value ? "true" : "false"
  }

  /// Canonical JSON as it is, with line breaks and spaces between its values.
  package mutating func member(_ name: String, canonical: [UInt8]) {
    begin(name)
    var (isInText, isEscaped, previous) = (false, false, Unicode.Scalar(0))
    for scalar in String(decoding: canonical, as: UTF8.self).unicodeScalars {
      defer { previous = scalar }
      guard !isInText else {
        add(scalar)
        isInText = scalar != "\"" || isEscaped
        isEscaped = scalar == "\\" && !isEscaped
        continue
      }
      let isClosing = scalar == "}" || scalar == "]"
      if isClosing { depth -= 1 }
      let isEmpty = isClosing && (previous == "{" || previous == "[")
      if !isEmpty, isClosing || previous == "{" || previous == "[" || previous == "," { breakLine() }
      if scalar == "{" || scalar == "[" { depth += 1 }
      isInText = scalar == "\""
      text.unicodeScalars.append(scalar)
      if scalar == ":" { text += " " }
    }
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
      default: add(scalar)
      }
    }
    text += "\""
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    guard !VisibleText.isShown(scalar, after: nil) else { return text.unicodeScalars.append(scalar) }
    for unit in UTF16.encode(scalar) ?? .init() { escape(unit) }
  }

  private mutating func escape(_ unit: UInt16) {
    let digits = String(unit, radix: 16)
    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
