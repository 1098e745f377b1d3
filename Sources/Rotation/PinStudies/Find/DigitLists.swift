import PinFormat
import PinPolicy

/// Hexadecimal digits in groups of one length with one kind of separator between them: `9D:7C:3F`, `9d7c 3f2a`,
/// `0x9d, 0x7c, 0x3f`, `(byte) 0x9d, (byte) 0x7c`, `\x9d\x7c\x3f`.
struct SeparatedDigits {
  private(set) var digits: [UInt8] = []
  /// Behind the last digit.
  private(set) var end: Int
  /// Whether each group is a number of several bytes, whose order isn't known.
  let isOfNumbers: Bool
  private let groupLength: Int
  /// Whether each group is a byte.
  let isOfBytes: Bool
  /// Whether it is an array, which may have several digests, and not one value as openssl prints it.
  let isArray: Bool
  /// Whether these are figures alone, and so decimal numbers: a digest has letters.
  private(set) var isDecimal = false

  private typealias Group = (digits: ArraySlice<UInt8>, isNumber: Bool, end: Int)

  /// The longest list that begins at a place; nil where no separator follows the first group.
  init?(_ source: UnescapedText, at start: Int) {
    end = start
    guard let first = Self.group(source, at: start), let separator = Self.separator(source, at: first.end) else {
      return nil
    }
    isOfNumbers = first.isNumber && first.digits.count > 2
    groupLength = first.digits.count
    isOfBytes = first.digits.count == 2
    isArray = [",", "\\"].contains(UnicodeScalar(separator.mark))
    var next: Group? = first
    while let group = next, group.digits.count == first.digits.count {
      digits += group.digits
      end = group.end
      let between = Self.separator(source, at: end, isInList: digits.count < 64)
      next = between.flatMap { $0.mark == separator.mark ? Self.group(source, at: $0.end) : nil }
    }
    guard digits.count > first.digits.count else { return nil }
    isDecimal = !first.isNumber && !digits.contains { $0 > UInt8(ascii: "9") }
  }

  /// The digits as they are in memory where a number's last byte is first, as on x86 and ARM.
  var reversedDigits: [UInt8] {
    stride(from: 0, to: digits.count, by: groupLength).flatMap { group in
      stride(from: group + groupLength - 2, through: group, by: -2).flatMap { digits[$0..<$0 + 2] }
    }
  }

  /// `9D`, `0x9d`, `\x9d` or more digits, and not the beginning of a longer word, which may be a pin.
  private static func group(_ source: UnescapedText, at start: Int) -> Group? {
    let text = source.bytes
    let isNumber =
      start + 1 < text.count && text[start + 1] | 0x20 == UInt8(ascii: "x")
      && (text[start] == UInt8(ascii: "0") || text[start] == UInt8(ascii: "\\"))
    let digits = text[(isNumber ? start + 2 : start)...].prefix(17).prefix(while: FingerprintText.isDigit)
    guard [2, 4, 8, 16].contains(digits.count) else { return nil }
    let end = isNumber ? source.behindType(digits.endIndex) : digits.endIndex
    guard end >= text.count || !PinScan.isSymbol(text[end]) else { return nil }
    return (digits, isNumber, end)
  }

  /// A colon, dot, hyphen, underscore or comma, or only space, with the space, the ends of literals and Java's casts
  /// around it; nothing before `\x`.
  ///
  /// Comments may follow a mark, except where a digest is complete: then they are about the next one.
  private static func separator(
    _ source: UnescapedText, at start: Int, isInList: Bool = true
  ) -> (mark: UInt8, end: Int)? {
    let text = source.bytes
    var mark: UInt8?
    var index = start
    var before = -1
    while index != before {
      before = index
      index = source.behindSpace(index)
      if let joint = source.behindJoint(at: index) { index = joint.end }
      if mark == nil, index < text.count, ":.-,_".utf8.contains(text[index]) {
        mark = text[index]
        index += 1
      }
      if mark != nil, isInList { index = source.behindComments(index) }
    }
    if text[index...].starts(with: "(byte)".utf8) { index = source.behindSpace(index + 6) }
    if let mark { return (mark, index) }
    if text[index...].starts(with: #"\x"#.utf8) { return (UInt8(ascii: "\\"), index) }
    return index > start ? (UInt8(ascii: " "), index) : nil
  }
}

/// Bytes as decimal numbers: `[157, 124, …]`, `PIN=157,124,…`, and with signs, as Java has them.
struct DecimalBytes {
  private(set) var bytes: [UInt8] = []
  /// From the first number to the last.
  private(set) var range: Range<Int>

  /// The list that a bracket, quotation mark or sign begins at a place; nil where that isn't one of bytes.
  init?(_ source: UnescapedText, at start: Int) {
    let text = source.bytes
    guard "[{(\"'=:".utf8.contains(text[start]) else { return nil }
    var index = source.behindComments(start + 1)
    range = index..<index
    while true {
      if text[index...].starts(with: "(byte)".utf8) { index = source.behindSpace(index + 6) }
      let isNegative = index < text.count && text[index] == UInt8(ascii: "-")
      let figures = text[(isNegative ? index + 1 : index)...].prefix(4).prefix(while: Self.isFigure)
      guard let number = Int(String(decoding: figures, as: UTF8.self)), number <= (isNegative ? 128 : 255) else {
        break
      }
      bytes.append(UInt8(truncatingIfNeeded: isNegative ? -number : number))
      range = range.lowerBound..<source.behindType(figures.endIndex)
      // Without a bracket, the line is the list.
      let isLine = "=:".utf8.contains(text[start])
      index = isLine ? range.upperBound : source.behindComments(range.upperBound)
      guard index < text.count, text[index] == UInt8(ascii: ",") else { break }
      index = source.behindComments(index + 1)
    }
    guard bytes.count >= 20, Self.isEnd(text[range.upperBound...], of: text[start], source) else { return nil }
    // A digest of numbers below 128 alone doesn't exist; lists of other numbers do.
    guard bytes.contains(where: { $0 > 127 }) else { return nil }
  }

  /// Whether the list ends as it began; a comma may be before that.
  private static func isEnd(_ rest: ArraySlice<UInt8>, of start: UInt8, _ source: UnescapedText) -> Bool {
    if "=:".utf8.contains(start) { return rest.first.map { "\r\n;# )]}\"'".utf8.contains($0) } ?? true }
    var index = source.behindComments(rest.startIndex)
    if index < rest.endIndex, rest[index] == UInt8(ascii: ",") { index = source.behindComments(index + 1) }
    return index < rest.endIndex && "]})\"'".utf8.contains(rest[index])
  }

  private static func isFigure(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A record of DNS for DANE (RFC 6698 section 2.2), as zone files write it: `TLSA 3 1 1 ( 9d7c… 3f2a… )`, as dig prints
/// it without the word, or as any type is written (RFC 3597): `TYPE52 \# 35 030101 9d7c…`.
struct TLSARecord {
  enum Content {
    case pin(Pin)
    case unread(String)
  }

  let content: Content
  /// Where its data is.
  let range: Range<Int>

  init?(_ source: UnescapedText, at start: Int) {
    let text = source.bytes
    let isOwnWord = start == 0 || !(PinScan.isSymbol(text[start - 1]) || ".-_\\".utf8.contains(text[start - 1]))
    if start > 0, text[start - 1] == UInt8(ascii: ":"), text[start...].starts(with: #"52:\00"#.utf8) {
      range = start + 3..<text[(start + 3)...].prefix { $0 != UInt8(ascii: ":") && $0 != 0x0A }.endIndex
      content = .unread("is a TLSA record in octal, as tinydns writes it")
      return
    }
    var index = start
    var numbers: [UInt8]?
    if let end = Self.behind("type52", source, start), text[end...].starts(with: ##"\#"##.utf8) {
      index = source.behindSpace(end + 2)
      index = source.behindSpace(text[index...].prefix(5).prefix(while: FingerprintText.isDigit).endIndex)
    } else {
      let end = Self.behind("tlsa", source, start)
      guard end != nil || isOwnWord, let three = Self.numbers(source, end ?? start) else { return nil }
      numbers = three.numbers
      index = three.end
      // Without the word, only a digest makes it a record; dig writes 56 digits and a space.
      let word = text[source.behindBracket(index)...].prefix(56).prefix(while: FingerprintText.isDigit)
      guard end != nil || word.count == 56 else { return nil }
    }
    let data = Self.digits(source, index)
    var digits = data.digits
    range = data.range
    if numbers == nil, let bytes = Hex.decode(digits.prefix(6).map { $0 | 0x20 }) {
      numbers = bytes
      digits.removeFirst(min(6, digits.count))
    }
    guard let numbers, numbers.count == 3, !digits.isEmpty else { return nil }
    if numbers[1] == 1, numbers[2] == 1, digits.count == 64, let pin = PinScan.pin(hexadecimal: digits) {
      content = .pin(pin)
    } else if numbers[1] == 1, numbers[2] == 1 {
      content = .unread("is a TLSA record with \(digits.count) digits, where a digest by SHA-256 has 64")
    } else if numbers[1] == 0 {
      content = .unread("is a TLSA record of a certificate and not of its key (selector 0)")
    } else {
      let what = numbers[2] == 0 ? "a whole key" : "another digest than SHA-256"
      content = .unread("is a TLSA record with \(what) (matching type \(numbers[2]))")
    }
  }

  /// Behind a word and the space after it; nil where it isn't.
  private static func behind(_ word: String, _ source: UnescapedText, _ start: Int) -> Int? {
    let end = start + word.utf8.count
    guard source.bytes[start] | 0x20 == UInt8(ascii: "t"), end < source.bytes.count,
      zip(source.bytes[start..<end], word.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }),
      source.behindSpace(end) > end
    else { return nil }
    return source.behindSpace(end)
  }

  /// Usage, selector and matching type, with space behind each.
  private static func numbers(_ source: UnescapedText, _ start: Int) -> (numbers: [UInt8], end: Int)? {
    var index = start
    var numbers: [UInt8] = []
    for _ in 0..<3 {
      let next = index + 1
      guard next < source.bytes.count, ("0"..."3").contains(UnicodeScalar(source.bytes[index])),
        source.behindSpace(next) > next
      else { return nil }
      numbers.append(source.bytes[index] - UInt8(ascii: "0"))
      index = source.behindSpace(next)
    }
    return (numbers, index)
  }

  /// Digits in words, up to the end of the line if they aren't in brackets.
  private static func digits(_ source: UnescapedText, _ start: Int) -> (digits: [UInt8], range: Range<Int>) {
    let text = source.bytes
    let first = source.behindBracket(start)
    var index = first
    var digits: [UInt8] = []
    var end = index
    while index < text.count, FingerprintText.isDigit(text[index]) {
      let group = text[index...].prefix(while: FingerprintText.isDigit)
      digits += group
      end = group.endIndex
      index = source.behindSpace(end)
      if first == start, text[end..<index].contains(UInt8(ascii: "\n")) { break }
    }
    return (digits, first..<end)
  }
}
