/// Goes over the bytes of a JSON text once and notes where each value is.
///
/// Without recursion: what is open is on a stack of its own.
struct JSONScanner: ~Copyable {
  private let bytes: [UInt8]
  private let allowsComments: Bool
  private let limits: LocatedJSON.Limits
  private(set) var nodes: [LocatedJSON.Node] = []
  private var index = 0
  /// The objects and lists that are open, by node.
  private var open: [Int] = []

  init(_ bytes: [UInt8], allowsComments: Bool, limits: LocatedJSON.Limits) {
    self.bytes = bytes
    self.allowsComments = allowsComments
    self.limits = limits
  }

  mutating func scan() throws(JSONTextError) {
    nodes.reserveCapacity(min(bytes.count / 8, limits.values))
    try skipSpace()
    try value()
    while let container = open.last {
      try skipSpace()
      let isObject = nodes[container].kind == .object
      let isFirst = nodes.count == container + 1
      guard let byte = peek else { throw fail("it ends within \(isObject ? "an object" : "a list")") }
      if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        try close(container)
        continue
      }
      if !isFirst {
        guard byte == UInt8(ascii: ",") else {
          throw fail("expected ',' or the end of \(isObject ? "an object" : "a list")")
        }
        index += 1
        try skipSpace()
      }
      if isObject { try name() }
      try value()
    }
    try skipSpace()
    guard index == bytes.count else { throw fail("there is something after the end") }
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func fail(_ what: String) -> JSONTextError {
    let line = LineOffsets(bytes).line(of: min(index, bytes.count))
    return JSONTextError(.notJSON, "it isn't valid JSON: \(what), in line \(line)")
  }

  private mutating func skipSpace() throws(JSONTextError) {
    while let byte = peek {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case UInt8(ascii: "/") where allowsComments: try comment()
      default: return
      }
    }
  }

  private mutating func comment() throws(JSONTextError) {
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    switch next {
    case UInt8(ascii: "/"):
      while let byte = peek, byte != 0x0A { index += 1 }
    case UInt8(ascii: "*"):
      var end = index + 2
      while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
      guard end + 1 < bytes.count else { throw fail("a comment doesn't end") }
      index = end + 2
    default: throw fail("there is a '/' outside texts and comments")
    }
  }

  private mutating func add(_ node: LocatedJSON.Node) throws(JSONTextError) {
    guard nodes.count < limits.values else {
      throw JSONTextError(.overLimit, "it has more than \(limits.values) values")
    }
    nodes.append(node)
  }

  private mutating func value() throws(JSONTextError) {
    guard let byte = peek else { throw fail("a value is missing") }
    switch byte {
    case UInt8(ascii: "{"): try begin(.object)
    case UInt8(ascii: "["): try begin(.list)
    case UInt8(ascii: "\""): try text()
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw fail("expected a value")
    }
  }

  private mutating func begin(_ kind: LocatedJSON.Kind) throws(JSONTextError) {
    guard open.count < limits.depth else {
      throw JSONTextError(.overLimit, "its values are nested more than \(limits.depth) levels deep")
    }
    open.append(nodes.count)
    try add(LocatedJSON.Node(kind: kind, start: UInt32(index), end: 0))
    index += 1
  }

  private mutating func close(_ container: Int) throws(JSONTextError) {
    if nodes[container].kind == .object { try checkNames(of: container) }
    index += 1
    nodes[container].end = UInt32(index)
    nodes[container].next = UInt32(nodes.count)
    open.removeLast()
  }

  private mutating func name() throws(JSONTextError) {
    guard peek == UInt8(ascii: "\"") else { throw fail("expected a name in quotation marks") }
    try text()
    try skipSpace()
    guard peek == UInt8(ascii: ":") else { throw fail("expected ':' behind a name") }
    index += 1
    try skipSpace()
  }

  private mutating func text() throws(JSONTextError) {
    index += 1
    let start = index
    var hasEscapes = false
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fail("a text contains a control character") }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try escape()
      } else {
        index += 1
      }
    }
    guard peek != nil else { throw fail("a text doesn't end") }
    guard index - start <= limits.textBytes else {
      throw JSONTextError(.overLimit, "a text has more than \(limits.textBytes) bytes")
    }
    try add(
      LocatedJSON.Node(
        kind: .text, hasEscapes: hasEscapes, start: UInt32(start), end: UInt32(index), next: UInt32(nodes.count + 1)))
    index += 1
  }

  private mutating func escape() throws(JSONTextError) {
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    if next == UInt8(ascii: "u") {
      guard index + 6 <= bytes.count, bytes[index + 2..<index + 6].allSatisfy({ JSONEscapes.digit($0) != nil }) else {
        throw fail("'\\u' has fewer than four hexadecimal digits")
      }
      index += 6
      return
    }
    guard "\"\\/bfnrt".utf8.contains(next) else { throw fail("'\\' is followed by nothing that it can escape") }
    index += 2
  }

  private mutating func word(_ word: StaticString, _ kind: LocatedJSON.Kind) throws(JSONTextError) {
    let start = index
    let isThere = word.withUTF8Buffer { wanted in
      start + wanted.count <= bytes.count && wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
    }
    guard isThere else { throw fail("expected a value") }
    index += word.utf8CodeUnitCount
    try add(LocatedJSON.Node(kind: kind, start: UInt32(start), end: UInt32(index), next: UInt32(nodes.count + 1)))
  }

  private mutating func number() throws(JSONTextError) {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    let first = peek
    guard digits() > 0, first != UInt8(ascii: "0") || bytes[index - 1] == UInt8(ascii: "0") && isLone(start) else {
      throw fail("expected a number")
    }
    if peek == UInt8(ascii: ".") {
      index += 1
      guard digits() > 0 else { throw fail("expected digits behind '.'") }
    }
    if let byte = peek, byte | 0x20 == UInt8(ascii: "e") {
      index += 1
      if let sign = peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
      guard digits() > 0 else { throw fail("expected digits of an exponent") }
    }
    try add(
      LocatedJSON.Node(kind: .number, start: UInt32(start), end: UInt32(index), next: UInt32(nodes.count + 1)))
  }

  /// Whether a zero that begins a number is its only digit.
  private func isLone(_ start: Int) -> Bool {
    index - start == (bytes[start] == UInt8(ascii: "-") ? 2 : 1)
  }

  private mutating func digits() -> Int {
    let start = index
    while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
    return index - start
  }
}

extension JSONScanner {
  /// Refuses an object in which a name is twice.
  private func checkNames(of container: Int) throws(JSONTextError) {
    var names: [LocatedJSON.Node] = []
    var position = container + 1
    while position < nodes.count {
      names.append(nodes[position])
      position = Int(nodes[position + 1].next)
    }
    if names.count <= 8, names.allSatisfy({ !$0.hasEscapes }) {
      for (number, one) in names.enumerated() {
        for other in names[..<number] where isSame(one, other) { throw duplicate(one) }
      }
      return
    }
    var seen: Set<String> = []
    for name in names {
      let range = bytes[Int(name.start)..<Int(name.end)]
      let text = name.hasEscapes ? JSONEscapes.decode(range) : String(decoding: range, as: UTF8.self)
      guard seen.insert(text).inserted else { throw duplicate(name) }
    }
  }

  private func isSame(_ one: LocatedJSON.Node, _ other: LocatedJSON.Node) -> Bool {
    let count = one.end - one.start
    guard count == other.end - other.start else { return false }
    for offset in 0..<Int(count) where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] {
      return false
    }
    return true
  }

  private func duplicate(_ name: LocatedJSON.Node) -> JSONTextError {
    let text = String(decoding: bytes[Int(name.start)..<Int(name.end)].prefix(64), as: UTF8.self)
    let line = LineOffsets(bytes).line(of: Int(name.start))
    return JSONTextError(
      .duplicateName,
      "the name '\(text)' occurs twice in an object, in line \(line): programs would read it differently")
  }
}
