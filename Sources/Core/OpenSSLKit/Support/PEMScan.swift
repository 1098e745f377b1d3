import PinFormat

/// What a reader of PEM would skip as text between blocks, although it looks like a block, a certificate or a key.
package struct PEMFault: Equatable, Sendable {
  package enum Kind: Sendable {
    /// A BEGIN or END line that isn't exactly one: indented, in small letters, with other dashes.
    case mark
    /// A line in a block that isn't Base64.
    case damage
    /// The BEGIN line of a block without an END line.
    case noEnd
    /// A certificate or key in Base64 or DER, outside the blocks.
    case bare
    case nul
  }

  package let kind: Kind
  /// Counted from 1.
  package let line: Int

  /// The first one of a text; nil if only ordinary text is between its blocks.
  package init?(in text: [UInt8]) {
    guard let fault = PEMScan(text).fault else { return nil }
    self = fault
  }

  fileprivate init(_ kind: Kind, _ line: Int) { (self.kind, self.line) = (kind, line) }
}

/// Reads a PEM text line by line, as libcrypto does, and stops at the first fault.
///
/// It counts in places, not in slices, because each generic function of slices makes libpintle larger.
struct PEMScan {
  private(set) var fault: PEMFault?
  /// How many blocks there are before the fault.
  private var blocks = 0

  private let text: [UInt8]
  /// The label of the block that is open.
  private var label: Range<Int>?
  /// The line in which it began.
  private var openLine = 0
  /// Header lines (RFC 1421), up to an empty one.
  private var isInHeaders = false
  private var hasPadding = false

  init(_ text: [UInt8]) {
    self.text = text
    // C's strings may be passed with the byte that ends them, and Windows's editors write a byte order mark.
    var end = text.count
    while end > 0, text[end - 1] == 0 { end -= 1 }
    var start = end > 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
    var line = 1
    while start < end, fault == nil {
      var next = start
      while next < end, text[next] != 0x0A { next += 1 }
      if let kind = read(start, next, line) { fault = PEMFault(kind, kind == .noEnd ? openLine : line) }
      (start, line) = (next + 1, line + 1)
    }
    if fault == nil, label != nil { fault = PEMFault(.noEnd, openLine) }
  }

  /// The number of a text's blocks; throws if one, or what looks like one, would be skipped.
  static func blocks(in text: [UInt8]) throws(CryptoError) -> Int {
    let scan = PEMScan(text)
    guard let fault = scan.fault else { return scan.blocks }
    throw CryptoError(
      .malformed, "line " + String(fault.line) + " has a block, certificate or key that can't be read")
  }

  /// What is wrong with a line.
  private mutating func read(_ start: Int, _ lineEnd: Int, _ line: Int) -> PEMFault.Kind? {
    var end = lineEnd
    while end > start, text[end - 1] <= 0x20, text[end - 1] > 0 { end -= 1 }
    if let begun = mark("-----BEGIN ", start, end) {
      guard label == nil else { return .noEnd }
      (label, openLine, isInHeaders, hasPadding) = (begun, line, false, false)
      blocks += 1
      return nil
    }
    if let label, let ended = mark("-----END ", start, end) {
      self.label = nil
      return text[label] == text[ended] ? nil : .damage
    }
    for index in start..<end where text[index] == 0 { return .nul }
    if resemblesMark(start, end) { return .mark }
    if label == nil { return hasBareKey(start, end) ? .bare : nil }
    return isOfBlock(start, end, isFirst: line == openLine + 1) ? nil : .damage
  }

  /// Whether a line is a header or Base64.
  private mutating func isOfBlock(_ start: Int, _ end: Int, isFirst: Bool) -> Bool {
    if isFirst {
      for index in start..<end where text[index] == UInt8(ascii: ":") { isInHeaders = true }
    }
    if isInHeaders {
      isInHeaders = end > start
      return true
    }
    for index in start..<end where text[index] > 0x20 {
      if text[index] == UInt8(ascii: "=") { hasPadding = true } else if hasPadding || !isBase64(index) { return false }
    }
    return true
  }

  /// Whether DER begins in a line, or its Base64.
  private func hasBareKey(_ start: Int, _ end: Int) -> Bool {
    for index in start..<end {
      if text[index] == 0x30 {
        if KeyStructure.head(text, at: index) != nil { return true }
      } else if text[index] == UInt8(ascii: "M"), index == start || !isWord(index - 1) {
        if KeyStructure.head(base64: text, at: index) != nil { return true }
      }
    }
    return false
  }

  // MARK: Marks

  /// The label of a mark (RFC 7468) that is all of a line; one that a message can quote.
  @inline(never)
  private func mark(_ mark: StaticString, _ start: Int, _ end: Int) -> Range<Int>? {
    let first = start + mark.utf8CodeUnitCount
    let last = end - 5
    guard last > first, last <= first + 40, isThere(mark, at: start), isThere("-----", at: last), !isHyphen(first)
    else { return nil }
    for index in first..<last {
      let byte = text[index]
      if byte < 0x20 || byte > 0x7E || byte == 0x27 || isHyphen(index) && isHyphen(index + 1) { return nil }
    }
    return first..<last
  }

  /// Words of the labels that openssl, OpenSSH and others write.
  private static var words: StaticString {
    " CERTIFICATE KEY X509 TRUSTED ATTRIBUTE NEW REQUEST RSA EC DSA DH ENCRYPTED PRIVATE PUBLIC PKCS7 PKCS CMS CRL "
  }

  /// Whether a line has a mark's exact beginning, or a known label between dashes of any kind.
  private func resemblesMark(_ start: Int, _ end: Int) -> Bool {
    var dashes = 0
    for index in start..<end {
      if isDash(index) {
        // En and em dashes, and hyphens of other widths, have bytes above ASCII.
        dashes += isHyphen(index) ? 1 : 2
        continue
      }
      if dashes >= 5, isThere("BEGIN ", at: index) || isThere("END ", at: index) { return true }
      if dashes >= 2, text[index] == 0x20 { continue }
      if dashes >= 2, isKnown(index, end) { return true }
      dashes = 0
    }
    return false
  }

  /// Whether BEGIN or END, words of labels and another dash are at a place.
  private func isKnown(_ start: Int, _ end: Int) -> Bool {
    var index = start
    var count = 0
    while true {
      while index < end, text[index] == 0x20 { index += 1 }
      let first = index
      while index < end, isWord(index) { index += 1 }
      guard index > first else { return count > 1 && index < end && isDash(index) }
      guard isListed(first, index, in: count == 0 ? " BEGIN END " : Self.words) else { return false }
      count += 1
    }
  }

  /// Whether a word, in capital or small letters, is one of some words with spaces around each.
  @inline(never)
  private func isListed(_ start: Int, _ end: Int, in words: StaticString) -> Bool {
    var place = 1
    while place + end - start < words.utf8CodeUnitCount {
      var length = 0
      while start + length < end, text[start + length] & 0xDF == words.utf8Start[place + length] & 0xDF { length += 1 }
      let isWhole = words.utf8Start[place - 1] == 0x20 && words.utf8Start[place + length] == 0x20
      if start + length == end, isWhole { return true }
      place += 1
    }
    return false
  }

  private func isThere(_ word: StaticString, at start: Int) -> Bool { Self.has(word, text, at: start) }

  @inline(never)
  static func has(_ word: StaticString, _ text: [UInt8], at start: Int) -> Bool {
    guard text.count - start >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[start + index] != word.utf8Start[index] { return false }
    return true
  }

  // MARK: Bytes

  private func isHyphen(_ index: Int) -> Bool { text[index] == UInt8(ascii: "-") }
  private func isDash(_ index: Int) -> Bool { isHyphen(index) || text[index] >= 0x80 }

  @inline(never)
  private func isWord(_ index: Int) -> Bool {
    let byte = text[index]
    return byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
  }

  private func isBase64(_ index: Int) -> Bool {
    isWord(index) || text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "/")
  }
}

/// How certificates, requests, keys and their containers begin in DER.
package enum KeyStructure {
  /// How much Base64 is enough to know.
  package static let headSymbols = 16
  /// A smaller one isn't a key.
  private static let fewestBytes = 40

  /// The tag of the first element, and how many bytes there are in all.
  package typealias Head = (tag: UInt8, count: Int)

  /// The head of what Base64 begins with at a place; nil if that is something else.
  package static func head(base64 text: [UInt8], at start: Int = 0) -> Head? {
    guard text.count - start >= headSymbols else { return nil }
    guard let bytes = Base64.decode(text[start..<start + headSymbols]) else { return nil }
    return head(bytes)
  }

  /// The head of what begins at a place; nil if that is something else.
  package static func head(_ bytes: [UInt8], at start: Int = 0) -> Head? {
    guard let outer = sequence(bytes, start), outer.length >= fewestBytes, outer.start + 3 < bytes.count else {
      return nil
    }
    let tag = bytes[outer.start]
    let next = bytes[outer.start + 1]
    switch tag {
    // To be signed, or an algorithm: a version, a serial number or an object identifier is first.
    case 0x30:
      guard let inner = sequence(bytes, outer.start)?.start, inner + 1 < bytes.count else { return nil }
      guard bytes[inner] == 0x02 || bytes[inner] == 0x06 || bytes[inner] == 0xA0 && bytes[inner + 1] == 0x03 else {
        return nil
      }
    // The version of a private key or of PKCS #12, and the object identifier of PKCS #7.
    case 0x02: guard next == 1, bytes[outer.start + 2] <= 3 else { return nil }
    case 0x06: guard next == 9, bytes[outer.start + 2] == 0x2A, bytes[outer.start + 3] == 0x86 else { return nil }
    default: return nil
    }
    return (tag, outer.start - start + outer.length)
  }

  /// Where the contents of a sequence begin, and their length.
  @inline(never)
  private static func sequence(_ bytes: [UInt8], _ start: Int) -> (start: Int, length: Int)? {
    guard start + 3 < bytes.count, bytes[start] == 0x30 else { return nil }
    let length = Int(bytes[start + 1])
    if length < 0x80 { return (start + 2, length) }
    if length == 0x81 { return (start + 3, Int(bytes[start + 2])) }
    return length == 0x82 ? (start + 4, Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])) : nil
  }
}
