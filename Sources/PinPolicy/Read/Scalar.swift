import PinFormat

/// How a field's text becomes a value.
///
/// The field decides, never the text: `no` is a reason where a reason belongs.
struct Scalar<Value: Sendable>: Sendable {
  private let describe: @Sendable () -> String
  /// True for numbers and for `true` and `false`: in quotes, editors take them for text.
  var isPlainOnly = false
  /// True for words meant for people.
  var isFreeText = false
  let parse: @Sendable (String) -> Value?

  init(
    expected: @autoclosure @escaping @Sendable () -> String, isPlainOnly: Bool = false, isFreeText: Bool = false,
    parse: @escaping @Sendable (String) -> Value?
  ) {
    describe = expected
    self.isPlainOnly = isPlainOnly
    self.isFreeText = isFreeText
    self.parse = parse
  }

  /// What the field takes, as problems say it.
  var expected: String { describe() }

  /// Whether the field's text may be written in this way: with quotes or without.
  func accepts(_ scalar: YAMLScalar) -> Bool {
    if isPlainOnly { return scalar.style == .plain }
    // What editors take for a truth value or for nothing isn't what it says where words belong.
    return !(isFreeText && scalar.style == .plain && Self.isTypedWord(scalar.text))
  }
}

extension Scalar {
  /// Words that YAML's core schema takes for a truth value or for nothing (YAML 1.2.2 section 10.3.2).
  fileprivate static func isTypedWord(_ text: String) -> Bool {
    switch text {
    case "true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "~": true
    default: false
    }
  }
}

extension Scalar where Value == String {
  /// Words for people.
  static let text = Scalar(expected: "a text", isFreeText: true) { isReadable($0) ? $0 : nil }

  /// Why a key is denied; `denied: no` would deny it.
  static let denial = Scalar(expected: "a text that says why the key is denied", isFreeText: true) { text in
    let isAnswer = ["yes", "no", "on", "off", "true", "false", "null", "~"].contains(text.lowercased())
    return isReadable(text) && !isAnswer ? text : nil
  }

  /// False for nothing, and for control characters: YAML's escapes can write them, and terminals and logs obey them.
  private static func isReadable(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n" || scalar == "\t" }
        return scalar.properties.generalCategory != .control
      }
  }

  /// The name of a key or of a key set.
  static let name = Scalar(
    expected: "a name of at most 64 lower-case letters, digits, '.', '_' and '-' that begins with a letter or digit"
  ) { text in
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first, isAlphanumeric(first) else { return nil }
    for byte in text.utf8 where !isNameByte(byte) { return nil }
    switch text {
    case "true", "false", "null": return nil
    default: return text
    }
  }

  /// A file beside the policy; whether it is there is found out later.
  static let path = Scalar(expected: "a path relative to this file") { text in
    text.isEmpty || text.utf8.first == UInt8(ascii: "/") || text.utf8.contains(0) ? nil : text
  }

  /// A host; what makes one is found out later.
  static let host = Scalar(expected: "a host name or IP address") { $0.isEmpty ? nil : $0 }

  /// A scheme and a URI's characters (RFC 3986 sections 2 and 3.1), no more: which scheme is a rule of its own.
  static let uri = Scalar(expected: "a URI") { text in
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8.index(after: colon) < text.utf8.endIndex,
      let first = text.utf8.first, first | 0x20 >= UInt8(ascii: "a"), first | 0x20 <= UInt8(ascii: "z"),
      text.utf8[..<colon].allSatisfy({ isSchemeByte($0) }), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return text
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte | 0x20) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}

extension Scalar where Value == Bool {
  static let bool = Scalar(expected: "true or false", isPlainOnly: true) { text in
    switch text {
    case "true": true
    case "false": false
    default: nil
    }
  }
}

extension Scalar where Value == Instant {
  static let instant = Scalar(expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)") {
    Instant(written: $0)
  }
}

extension Scalar where Value == Int64 {
  /// A duration, in seconds.
  static let duration = Scalar(expected: "a duration in days, hours or minutes (90d, 12h, 30m)") { text in
    let unit: Int64
    switch text.utf8.last {
    case UInt8(ascii: "d"): unit = 86_400
    case UInt8(ascii: "h"): unit = 3_600
    case UInt8(ascii: "m"): unit = 60
    default: return nil
    }
    return Scalar<Int>.decimal(text.utf8.dropLast(), in: 1...999_999).map { Int64($0) * unit }
  }
}

extension Scalar where Value == UInt16 {
  static let port = Scalar(expected: "a port from 1 to 65535", isPlainOnly: true) { text in
    Scalar<Int>.decimal(text.utf8[...], in: 1...65_535).map(UInt16.init)
  }
}

extension Scalar where Value == Int {
  static func number(in range: ClosedRange<Int>) -> Scalar {
    Scalar(expected: "a number from \(range.lowerBound) to \(range.upperBound)", isPlainOnly: true) { text in
      decimal(text.utf8[...], in: range)
    }
  }

  /// A share, in percent.
  static let percent = Scalar(expected: "a share from 0% to 100%") { text in
    text.utf8.last == UInt8(ascii: "%") ? decimal(text.utf8.dropLast(), in: 0...100) : nil
  }

  /// Reads decimal digits without sign and leading zeros: the one form that all readers take alike.
  static func decimal(_ digits: Substring.UTF8View, in range: ClosedRange<Int>) -> Int? {
    guard (1...9).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var value = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return range.contains(value) ? value : nil
  }
}

extension Scalar where Value: RawRepresentable<String> & CaseIterable {
  /// One of an enumeration's words.
  static func word(_ type: Value.Type = Value.self) -> Scalar {
    Scalar(expected: listed(type.allCases.map(\.rawValue))) { Value(rawValue: $0) }
  }

  private static func listed(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
  }
}
