import Diagnostics
import PinFormat

/// How a field's text becomes a value.
///
/// The field decides, never the text: `no` is a reason where a reason belongs.
struct Scalar<Value: Sendable>: Sendable {
  private let describe: @Sendable () -> String
  /// True for numbers and for `true` and `false`: in quotes, editors take them for text.
  var isPlainOnly = false
  /// True where `true`, `null` and the like need quotes, because editors take them for something else.
  var isFreeText = false
  /// The most bytes that a manifest holds of it, as encoded.
  var maximumBytes = Int.max
  /// Reads a text in UTF-8, which is only lent: most values keep nothing of it.
  let parse: @Sendable (Span<UInt8>) -> Value?

  init(
    expected: @autoclosure @escaping @Sendable () -> String, isPlainOnly: Bool = false, isFreeText: Bool = false,
    maximumBytes: Int = .max, parse: @escaping @Sendable (Span<UInt8>) -> Value?
  ) {
    describe = expected
    self.isPlainOnly = isPlainOnly
    self.isFreeText = isFreeText
    self.maximumBytes = maximumBytes
    self.parse = parse
  }

  /// What the field takes, as problems say it.
  var expected: String { describe() }

  /// The value of a text that is written in this way; nil where it isn't one, or may not be written so.
  func value(of text: Span<UInt8>, _ style: YAMLScalar.Style) -> Value? {
    accepts(text, style) && !isTooLong(text) ? parse(text) : nil
  }

  /// Whether a manifest can't hold the text.
  func isTooLong(_ text: Span<UInt8>) -> Bool {
    // An escape has at most six bytes.
    text.count > maximumBytes / 6 && TextScan.encodedBytes(text) > maximumBytes
  }

  /// Whether the field's text may be written in this way: with quotes or without.
  private func accepts(_ text: Span<UInt8>, _ style: YAMLScalar.Style) -> Bool {
    if isPlainOnly { return style == .plain }
    // A plain word that YAML readers take as a Boolean or null isn't accepted as text.
    return !(isFreeText && style == .plain && Self.isTypedWord(text))
  }

  /// Words that are Booleans or null in YAML's core schema (YAML 1.2.2 section 10.3.2).
  private static func isTypedWord(_ text: Span<UInt8>) -> Bool {
    guard (1...5).contains(text.count), "tTfFnN~".utf8.contains(text[0]) else { return false }
    return switch String(text) {
    case "true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "~": true
    default: false
    }
  }
}

extension Scalar where Value == String {
  /// Words for people.
  static let text = Scalar(expected: "a text", isFreeText: true) { isReadable($0) ? String($0) : nil }

  /// Words for people that the manifest carries.
  static let carriedText = Scalar(expected: "a text", isFreeText: true, maximumBytes: FormatLimits.textBytes) {
    isReadable($0) ? String($0) : nil
  }

  /// Why a key is denied; `denied: no` would deny it.
  static let denial = Scalar(
    expected: "a text that says why the key is denied", isFreeText: true, maximumBytes: FormatLimits.textBytes
  ) {
    let text = String($0)
    let isAnswer = ["yes", "no", "on", "off", "true", "false", "null", "~"].contains(text.lowercased())
    return isReadable($0) && !isAnswer ? text : nil
  }

  /// False for nothing, and for control characters: YAML's escapes can write them, and terminals and logs obey them.
  private static func isReadable(_ text: Span<UInt8>) -> Bool {
    if TextScan.isPlainASCII(text) { return !text.isEmpty }
    return String(text).unicodeScalars.allSatisfy { scalar in
      if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n" || scalar == "\t" }
      return scalar.properties.generalCategory != .control
    }
  }

  /// The name of a key or of a key set.
  static let name = Scalar(
    expected: "a name of at most 64 lower-case letters, digits, '.', '_' and '-' that begins with a letter or digit"
  ) { text in
    guard (1...64).contains(text.count), isAlphanumeric(text[0]) else { return nil }
    for index in text.indices where !isNameByte(text[index]) { return nil }
    let name = String(text)
    return text.count <= 5 && ["true", "false", "null"].contains(name) ? nil : name
  }

  /// A file beside the policy; whether it is there is found out later.
  static let path = Scalar(expected: "a path relative to this file", isFreeText: true) {
    let text = String($0)
    return text.isEmpty || text.utf8.first == UInt8(ascii: "/") || text.utf8.contains(0) ? nil : text
  }

  /// A host; what makes one is found out later.
  static let host = Scalar(expected: "a host name or IP address", isFreeText: true) { $0.isEmpty ? nil : String($0) }

  /// A scheme (RFC 3986 section 3.1) and the characters that a manifest takes, no more: which scheme is a rule of its own.
  static let uri = Scalar(expected: "a URI", maximumBytes: FormatLimits.uriBytes) { text in
    guard !text.isEmpty, text[0] | 0x20 >= UInt8(ascii: "a"), text[0] | 0x20 <= UInt8(ascii: "z") else { return nil }
    var colon = 0
    while colon < text.count, isSchemeByte(text[colon]) { colon += 1 }
    guard colon + 1 < text.count, text[colon] == UInt8(ascii: ":") else { return nil }
    return TextScan.isURI(text) ? String(text) : nil
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
  static let bool = Scalar(expected: "true or false", isPlainOnly: true) {
    switch String($0) {
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
    guard !text.isEmpty else { return nil }
    switch text[text.count - 1] {
    case UInt8(ascii: "d"): unit = 86_400
    case UInt8(ascii: "h"): unit = 3_600
    case UInt8(ascii: "m"): unit = 60
    default: return nil
    }
    return Scalar<Int>.decimal(text.extracting(droppingLast: 1), in: 1...999_999).map { Int64($0) * unit }
  }
}

extension Scalar where Value == UInt16 {
  static let port = Scalar(expected: "a port from 1 to 65535", isPlainOnly: true) { text in
    Scalar<Int>.decimal(text, in: 1...65_535).map(UInt16.init)
  }
}

extension Scalar where Value == Int {
  static func number(in range: ClosedRange<Int>) -> Scalar {
    Scalar(expected: "a number from \(range.lowerBound) to \(range.upperBound)", isPlainOnly: true) { text in
      decimal(text, in: range)
    }
  }

  /// A share, in percent.
  static let percent = Scalar(expected: "a share from 0% to 100%") { text in
    guard !text.isEmpty, text[text.count - 1] == UInt8(ascii: "%") else { return nil }
    return decimal(text.extracting(droppingLast: 1), in: 0...100)
  }

  /// Reads decimal digits without sign and leading zeros: the one form that all readers take alike.
  static func decimal(_ digits: Span<UInt8>, in range: ClosedRange<Int>) -> Int? {
    guard (1...9).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    var value = 0
    for index in digits.indices {
      guard digits[index] >= UInt8(ascii: "0"), digits[index] <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digits[index] - UInt8(ascii: "0"))
    }
    return range.contains(value) ? value : nil
  }
}

extension Scalar where Value: RawRepresentable<String> & CaseIterable {
  /// One of an enumeration's words.
  static func word(_ type: Value.Type = Value.self) -> Scalar {
    Scalar(expected: type.allCases.map(\.rawValue).listed("or")) { Value(rawValue: String($0)) }
  }
}

extension String {
  /// The text of a scalar.
  init(_ text: Span<UInt8>) {
    self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

/// A duration on a command line, as policies write it.
package enum WrittenDuration {
  /// Reads `90d`, `12h` or `30m`, in seconds; nil for anything else.
  package static func seconds(_ text: String) -> Int64? { Scalar.duration.parse(text.utf8Span.span) }
}
