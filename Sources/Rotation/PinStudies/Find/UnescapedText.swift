/// A text as its language reads it: what is written in another way than it is meant is in a pin's alphabet.
struct UnescapedText {
  let bytes: [UInt8]
  /// The place of each character in the file, and the end of the file; nil where that is its place in the text.
  private let offsets: [Int]?

  init(_ file: [UInt8]) {
    guard file.contains(where: { Self.marks.contains($0) }) else {
      (bytes, offsets) = (file, nil)
      return
    }
    var read: [UInt8] = []
    var places: [Int] = []
    var index = 0
    while index < file.count {
      places.append(index)
      if let escape = Self.escape(in: file, at: index) {
        read.append(escape.meaning)
        index += escape.text.count
      } else {
        read.append(file[index])
        index += 1
      }
    }
    (bytes, offsets) = (read, places + [file.count])
  }

  /// Where a part of the text is in the file.
  func places(of range: Range<Int>) -> Range<Int> {
    offsets.map { $0[range.lowerBound]..<$0[range.upperBound] } ?? range
  }

  private static let marks = Array("\\%&".utf8)

  /// JSON and PHP write `\/` for a slash, Gson `\u003d` for the padding; URLs and XML have their own, and URLs in URLs
  /// have `%253D`.
  private static let escapes: [(text: [UInt8], meaning: UInt8)] =
    [
      ("+", "2b", "43"), ("/", "2f", "47"), ("=", "3d", "61"), (":", "3a", "58"), ("\"", "22", "34"), (",", "2c", "44"),
      (";", "3b", "59"), (" ", "20", "32"),
    ].flatMap { symbol, hexadecimal, decimal in
      [
        "\\u00\(hexadecimal)", "%\(hexadecimal)", "%25\(hexadecimal)", "&#x\(hexadecimal);", "&#\(decimal);",
      ].map { ($0, symbol) }
    }.map { (Array($0.utf8), Array($1.utf8)[0]) } + [(Array("\\/".utf8), UInt8(ascii: "/"))]

  private static func escape(in file: [UInt8], at index: Int) -> (text: [UInt8], meaning: UInt8)? {
    guard marks.contains(file[index]) else { return nil }
    return escapes.first { escape in
      let there = file[index...].prefix(escape.text.count)
      return there.count == escape.text.count && zip(there, escape.text).allSatisfy { lowercase($0) == $1 }
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// What may be between two parts of one text.
  enum Joint {
    /// `"ab" + "cd"` in many languages, or a backslash before the end of a line.
    case operation
    /// `"ab" "cd"`, which may be two texts.
    case literals
    /// The end of a line.
    case line
    /// `"ab", "cd"`: two texts of a list, which may be joined later.
    case list
  }

  /// Behind the end of a part and the beginning of the next one that is joined to it; nil where none is joined.
  ///
  /// Between quotes may be space and an operator: `+` `++` `.` `..` `&` `<>` `~`, or a backslash before a new line; and
  /// a comma, where a list may be one text.
  func behindJoint(at end: Int, inList: Bool = false) -> (end: Int, kind: Joint)? {
    if let line = behindLineEnd(end) { return (line.end, line.isContinued ? .operation : .line) }
    guard end < bytes.count, "\"'`".utf8.contains(bytes[end]) else { return nil }
    let start = behindSpace(end + 1)
    let isList = inList && start < bytes.count && bytes[start] == UInt8(ascii: ",")
    let operators = bytes[start...].prefix(2).prefix {
      "+.&<>~\\".utf8.contains($0) || isList && $0 == UInt8(ascii: ",")
    }
    let next = behindSpace(operators.endIndex)
    guard next < bytes.count, bytes[next] == bytes[end] else { return nil }
    return (next + 1, isList ? .list : operators.isEmpty ? .literals : .operation)
  }

  /// Behind the end of a line and the space after it; nil where no line ends.
  private func behindLineEnd(_ end: Int) -> (end: Int, isContinued: Bool)? {
    let isContinued = end < bytes.count && bytes[end] == UInt8(ascii: "\\")
    let line = isContinued ? end + 1 : end
    guard line < bytes.count, [0x0A, 0x0D].contains(bytes[line]) else { return nil }
    return (behindSpace(line), isContinued)
  }

  /// Behind space and comments: `// …`, `# …`, `/* … */`.
  func behindComments(_ start: Int) -> Int {
    var index = behindSpace(start)
    while index < bytes.count, let end = behindComment(index) { index = behindSpace(end) }
    return index
  }

  /// Of a comment up to some length: a longer one isn't between two bytes of a digest.
  private func behindComment(_ start: Int) -> Int? {
    let text = bytes[start...].prefix(240)
    if text.starts(with: "/*".utf8) {
      return text.indices.dropFirst(2).first { text[$0] == UInt8(ascii: "/") && text[$0 - 1] == UInt8(ascii: "*") }
        .map { $0 + 1 }
    }
    guard text.starts(with: "//".utf8) || text.starts(with: "#".utf8) else { return nil }
    return text.firstIndex(of: 0x0A)
  }

  /// The longer ones first.
  private static let types = [
    ".toByte()", ".toUByte()", ".toULong()", ".toLong()", "u8", "i8", "u32", "u64", "ULL", "uLL", "ull", "UL", "uL",
    "ul", "LL", "ll", "u", "U", "L", "l", "n",
  ]

  /// Behind the type of a number in Kotlin, Rust, C or JavaScript: `0x9d.toByte()`, `157u8`, `0x871a9194f4eed5b3ULL`.
  func behindType(_ start: Int) -> Int {
    let type = Self.types.first { bytes[start...].starts(with: $0.utf8) }
    return start + (type?.utf8.count ?? 0)
  }

  func behindSpace(_ start: Int) -> Int {
    var index = start
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    return index
  }

  /// Behind an opening bracket and its space, if there is one.
  func behindBracket(_ start: Int) -> Int {
    start < bytes.count && bytes[start] == UInt8(ascii: "(") ? behindSpace(start + 1) : start
  }

  // MARK: Names

  private static let pinWords = ["pinning", "spki", "fingerprint", "thumbprint", "keyhash", "key_hash", "key-hash"]
  private static let digestWords = ["sha256", "sha-256", "hash", "digest"]

  /// Whether the text before a place has a word for a pin, or (if not `strictly`) for any digest.
  func isNamed(before place: Int, strictly: Bool) -> Bool {
    Self.names(bytes[..<place].suffix(96), strictly: strictly)
  }

  /// Whether the name right before a place, in the same line, has a word for a pin: `pin: "`, `FINGERPRINT = '`.
  func isNamedRight(before place: Int) -> Bool {
    let before = bytes[..<place].suffix(96)
    let gap = before.reversed().prefix { " \t:='\"`([{<>\\".utf8.contains($0) }.count
    let name = before.dropLast(gap).reversed().prefix { Self.isLetter($0) || "0123456789_-".utf8.contains($0) }.count
    return gap > 0 && Self.names(before.dropLast(gap).suffix(name), strictly: true)
      && Self.names(before, strictly: true)
  }

  /// Whether a place begins a block of YAML (`pin: >-`, `- |`) behind a word for a pin.
  func isPinsBlock(at place: Int) -> Bool {
    let space = bytes[..<place].suffix(96).reversed().prefix { " \t\r\n".utf8.contains($0) }
    let header = bytes[..<(place - space.count)].suffix(3)
    guard space.contains(0x0A), let mark = header.lastIndex(where: { ">|".utf8.contains($0) }),
      header[(mark + 1)...].allSatisfy({ "+-0123456789".utf8.contains($0) }),
      mark > 1, bytes[mark - 1] == 0x20, ":-".utf8.contains(bytes[mark - 2])
    else { return false }
    return isNamed(before: mark, strictly: true)
  }

  /// Whether texts are joined around a place: `listOf(…).joinToString("")`, `String.join("", …)`, `implode('', …)`.
  func isJoined(_ range: Range<Int>) -> Bool {
    let around = [bytes[..<range.lowerBound].suffix(48), bytes[range.upperBound...].prefix(24)]
    return around.contains { part in
      let words = String(decoding: part, as: UTF8.self).lowercased()
      return ["join", "concat", "implode", "reduce"].contains { words.contains($0) }
    }
  }

  private static func names(_ text: ArraySlice<UInt8>, strictly: Bool) -> Bool {
    let words = String(decoding: text, as: UTF8.self).lowercased()
    // OpenPGP's fingerprints have as many digits as SHA-1's.
    if strictly, ["gpg", "pgp"].contains(where: { words.contains($0) }) { return false }
    return pinWords.contains { words.contains($0) } || !strictly && digestWords.contains { words.contains($0) }
      || text.indices.contains { isPin(text[$0...], behind: $0 > text.startIndex ? text[$0 - 1] : 0) }
  }

  /// `pin`, `Pins`, `PINNED` as a part of a name: not `mapping`, `ping`.
  private static func isPin(_ text: ArraySlice<UInt8>, behind: UInt8) -> Bool {
    let word = Array(text.prefix(3))
    guard word.count == 3, word.map({ $0 | 0x20 }) == Array("pin".utf8) else { return false }
    let next = text.dropFirst(3).first ?? 0
    return (!isLetter(behind) || isSmall(behind) && !isSmall(word[0]))
      && (!isLetter(next) || "sn".utf8.contains(next | 0x20) || isSmall(word[2]) && !isSmall(next))
  }

  private static func isLetter(_ byte: UInt8) -> Bool { isSmall(byte | 0x20) }
  private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
