import Diagnostics

/// Makes a tree of what a parser tells; what it refuses, it remembers.
final class XMLTreeBuilder {
  /// Text between two tags, as it comes in pieces.
  private struct Run {
    var text = ""
    /// From the first byte that isn't white space to the last one.
    var range: Range<Int>?
  }

  private let bytes: [UInt8]
  private let limits: XMLLimits
  private let file: FileID
  private let lines: LineOffsets
  private var open: [XMLElement] = []
  private var run = Run()
  private var nodes = 0
  private(set) var root: XMLElement?
  private(set) var complaint: XMLComplaint?

  init(_ bytes: [UInt8], file: FileID, limits: XMLLimits) {
    self.bytes = bytes
    self.limits = limits
    self.file = file
    lines = LineOffsets(bytes)
  }

  func start(_ name: String, _ attributes: [(name: String, value: String)], at tag: Range<Int>) {
    endRun()
    guard open.count < limits.depth else {
      return refuse(
        "elements are nested more than \(limits.depth) levels deep", "Remove what no reader needs.", tag)
    }
    guard attributes.count <= limits.attributes else {
      return refuse("an element has more than \(limits.attributes) attributes", "Remove what no reader needs.", tag)
    }
    guard countNode(at: tag) else { return }
    let values = Self.values(in: bytes, tag: tag).map { lines.place(of: $0, in: file) }
    let place = lines.place(of: tag, in: file)
    let located = attributes.enumerated().map { number, attribute in
      XMLAttribute(
        name: attribute.name, value: Located(attribute.value, at: number < values.count ? values[number] : place))
    }
    open.append(XMLElement(name: name, attributes: located, children: [], place: place))
  }

  func end() {
    endRun()
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(.element(element)) }
  }

  func text(_ text: String, at range: Range<Int>) {
    run.text += text
    guard let first = text.utf8.firstIndex(where: { !Self.isSpace($0) }),
      let last = text.utf8.lastIndex(where: { !Self.isSpace($0) })
    else { return }
    var visible = range
    // The text of an entity is shorter than its name; then the place is the whole name.
    if text.utf8.count == range.count {
      let before = text.utf8.distance(from: text.utf8.startIndex, to: first)
      let after = text.utf8.distance(from: last, to: text.utf8.endIndex) - 1
      visible = range.lowerBound + before..<range.upperBound - after
    }
    run.range = (run.range?.lowerBound ?? visible.lowerBound)..<visible.upperBound
  }

  /// Keeps the first reason why the document isn't read on.
  func refuse(_ message: String, _ help: String, _ range: Range<Int>) {
    guard complaint == nil else { return }
    complaint = XMLComplaint(message: message, help: help, place: lines.place(of: range, in: file))
  }

  private func endRun() {
    defer { run = Run() }
    guard !open.isEmpty, let range = run.range, countNode(at: range) else { return }
    open[open.count - 1].children.append(.text(Located(Self.trimmed(run.text), at: lines.place(of: range, in: file))))
  }

  private func countNode(at range: Range<Int>) -> Bool {
    nodes += 1
    if nodes > limits.nodes {
      refuse(
        "it has more than \(limits.nodes) elements and texts", "Split it, or remove what no reader needs.", range)
    }
    return nodes <= limits.nodes
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.utf8.firstIndex { !isSpace($0) } ?? text.endIndex
    let last = text.utf8.lastIndex { !isSpace($0) } ?? start
    return last < start || start == text.endIndex ? "" : String(text[start...last])
  }

  /// The white space of XML 1.0, section 2.3.
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// What is between the quotation marks of each attribute of a well-formed start tag.
  private static func values(in bytes: [UInt8], tag: Range<Int>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    let tag = tag.clamped(to: 0..<bytes.count)
    var index = tag.lowerBound
    while index < tag.upperBound {
      let quote = bytes[index]
      index += 1
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      let start = index
      while index < tag.upperBound, bytes[index] != quote { index += 1 }
      ranges.append(start..<index)
      index += 1
    }
    return ranges
  }
}
