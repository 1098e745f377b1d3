import PinFormat

/// What a reader of PEM would skip as text between blocks, although it looks like a block, a certificate or a key.
package struct PEMFault: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
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

  var error: CryptoError {
    let line = "line " + String(line)
    let message =
      switch kind {
      case .mark: line + " looks like a BEGIN or END line of PEM, but isn't exactly one"
      case .damage: "the PEM text is damaged in " + line
      case .noEnd: "the PEM block that begins in " + line + " has no END line"
      case .bare: line + " looks like a certificate or key without a BEGIN line"
      case .nul: line + " has a NUL byte"
      }
    return CryptoError(.malformed, message)
  }
}

/// Reads a PEM text line by line, as libcrypto does, and stops at the first fault.
struct PEMScan {
  private(set) var fault: PEMFault?
  /// How many blocks there are before the fault.
  private(set) var blocks = 0

  private let text: [UInt8]
  /// The label of the block that is open, and the line in which it began.
  private var open: (label: ArraySlice<UInt8>, line: Int)?
  /// Header lines (RFC 1421), up to an empty one.
  private var isInHeaders = false
  private var hasPadding = false

  init(_ text: [UInt8]) {
    self.text = text
    // C's strings may be passed with the byte that ends them, and Windows's editors write a byte order mark.
    let end = text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    var start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 1
    while start < end, fault == nil {
      var next = start
      while next < end, text[next] != 0x0A { next += 1 }
      read(text[start..<next], line)
      (start, line) = (next + 1, line + 1)
    }
    if fault == nil, let open { fault = PEMFault(.noEnd, open.line) }
  }

  /// The number of a text's blocks; throws if one, or what looks like one, would be skipped.
  static func blocks(in text: [UInt8]) throws(CryptoError) -> Int {
    let scan = PEMScan(text)
    if let fault = scan.fault { throw fault.error }
    return scan.blocks
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
    var line = line
    while let last = line.last, last > 0, last <= 0x20 { line.removeLast() }
    if let label = PEMMark.label(line, behind: PEMMark.begin) {
      if let open {
        fault = PEMFault(.noEnd, open.line)
      } else {
        (open, isInHeaders, hasPadding) = ((label, number), false, false)
        blocks += 1
      }
    } else if let begun = open, let label = PEMMark.label(line, behind: PEMMark.end) {
      if label.elementsEqual(begun.label) { open = nil } else { fault = PEMFault(.damage, number) }
    } else if let kind = line.contains(0) ? .nul : PEMMark.isResembled(in: line) ? .mark : contents(line, number) {
      fault = PEMFault(kind, number)
    }
  }

  /// What is wrong with a line that isn't a mark.
  private mutating func contents(_ line: ArraySlice<UInt8>, _ number: Int) -> PEMFault.Kind? {
    guard let open else { return hasBareKey(line) ? .bare : nil }
    if line.contains(UInt8(ascii: ":")), isInHeaders || number == open.line + 1 {
      isInHeaders = true
    } else if isInHeaders {
      isInHeaders = !line.isEmpty
    } else {
      for byte in line where byte > 0x20 {
        if byte == UInt8(ascii: "=") { hasPadding = true } else if hasPadding || !byte.isBase64 { return .damage }
      }
    }
    return nil
  }

  /// Whether DER begins in a line, or its Base64.
  private func hasBareKey(_ line: ArraySlice<UInt8>) -> Bool {
    for index in line.indices {
      switch text[index] {
      case 0x30:
        // DER may have an end of line in its lengths.
        if KeyStructure.head(text[index...].prefix(KeyStructure.headBytes)) != nil { return true }
      case UInt8(ascii: "M"):
        let isWord = index == line.startIndex || !text[index - 1].isLetterOrDigit
        if isWord, KeyStructure.head(base64: line[index...]) != nil { return true }
      default: break
      }
    }
    return false
  }
}

/// The marks of PEM (RFC 7468), and what looks like them.
private enum PEMMark {
  static let begin = Array("-----BEGIN ".utf8)
  static let end = Array("-----END ".utf8)
  private static let tail = Array("-----".utf8)
  /// Words of the labels that openssl, OpenSSH and others write.
  private static let words = [
    "CERTIFICATE", "KEY", "X509", "TRUSTED", "ATTRIBUTE", "NEW", "REQUEST", "RSA", "EC", "DSA", "DH", "ENCRYPTED",
    "PRIVATE", "PUBLIC", "PKCS7", "PKCS", "CMS", "CRL", "PARAMETERS", "SSH2", "OPENSSH",
  ]

  /// What is between a mark's beginning and its dashes, if they are all of a line.
  static func label(_ line: ArraySlice<UInt8>, behind mark: [UInt8]) -> ArraySlice<UInt8>? {
    guard line.starts(with: mark), line.count > mark.count + tail.count, line.suffix(tail.count).elementsEqual(tail)
    else { return nil }
    let label = line.dropFirst(mark.count).dropLast(tail.count)
    let isOne =
      label.first != 0x2D && label.last != 0x2D && !zip(label, label.dropFirst()).contains { $0 == $1 && $0 == 0x2D }
    return isOne ? label : nil
  }

  /// Whether a line has a mark's exact beginning, or a known label between dashes of any kind.
  static func isResembled(in line: ArraySlice<UInt8>) -> Bool {
    var dashes = 0
    for index in line.indices {
      let byte = line[index]
      // En and em dashes, and hyphens of other widths, have bytes above ASCII.
      if byte == 0x2D || byte >= 0x80 {
        dashes += byte == 0x2D ? 1 : 2
      } else if dashes >= 2 {
        let rest = line[index...]
        if dashes >= 5, rest.starts(with: begin.dropFirst(5)) || rest.starts(with: end.dropFirst(5)) { return true }
        if byte != 0x20 {
          if isKnown(rest) { return true }
          dashes = 0
        }
      } else {
        dashes = 0
      }
    }
    return false
  }

  /// Whether a text is BEGIN or END, words of labels, and another dash.
  private static func isKnown(_ text: ArraySlice<UInt8>) -> Bool {
    let known = text.prefix(64)
    let name = known.prefix { $0 < 0x80 && $0 != 0x2D }
    guard name.count < known.count else { return false }
    let parts = name.split(separator: 0x20)
    guard let first = parts.first, parts.count > 1, isWord(first, "BEGIN") || isWord(first, "END") else { return false }
    return parts.dropFirst().allSatisfy { part in words.contains { isWord(part, $0) } }
  }

  private static func isWord(_ text: ArraySlice<UInt8>, _ word: String) -> Bool {
    text.count == word.utf8.count && zip(text, word.utf8).allSatisfy { $0 == $1 || $0 == $1 | 0x20 }
  }
}

/// How certificates, requests, keys and their containers begin in DER.
package enum KeyStructure {
  /// How many bytes are enough to know.
  package static let headBytes = 12
  /// A smaller one isn't a key.
  private static let fewestBytes = 40

  /// The tag of the first element, and how many bytes there are in all.
  package typealias Head = (tag: UInt8, count: Int)

  /// The head of what Base64 begins with; nil if that is something else.
  package static func head(base64 text: ArraySlice<UInt8>) -> Head? {
    Base64.decode(text.prefix(headBytes / 3 * 4)).flatMap { head($0[...]) }
  }

  /// The head of what some bytes begin with; nil if that is something else.
  package static func head(_ bytes: ArraySlice<UInt8>) -> Head? {
    guard let outer = element(bytes), outer.tag == 0x30, outer.length >= fewestBytes else { return nil }
    let isKnown: Bool
    switch outer.rest.first {
    // To be signed, or an algorithm: a version, a serial number or an object identifier is first.
    case 0x30:
      guard let inner = element(outer.rest)?.rest else { return nil }
      isKnown = inner.starts(with: [0xA0, 0x03]) || inner.first == 0x02 || inner.first == 0x06
    // The version of a private key or of PKCS #12, and the object identifier of PKCS #7.
    case 0x02: isKnown = outer.rest.dropFirst().first == 1 && (outer.rest.dropFirst(2).first ?? 9) <= 3
    case 0x06: isKnown = outer.rest.starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48])
    default: return nil
    }
    guard isKnown, let tag = outer.rest.first else { return nil }
    return (tag, outer.rest.startIndex - bytes.startIndex + outer.length)
  }

  /// Tag, length and what follows them.
  private static func element(_ bytes: ArraySlice<UInt8>) -> (tag: UInt8, length: Int, rest: ArraySlice<UInt8>)? {
    guard let tag = bytes.first, let short = bytes.dropFirst().first else { return nil }
    let rest = bytes.dropFirst(2)
    guard short >= 0x80 else { return (tag, Int(short), rest) }
    let count = Int(short & 0x7F)
    guard count == 1 || count == 2, rest.count > count else { return nil }
    return (tag, rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }, rest.dropFirst(count))
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  fileprivate var isBase64: Bool { isLetterOrDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }
}
