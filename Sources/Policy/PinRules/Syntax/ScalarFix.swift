import Diagnostics
import PinFormat
import PinPolicy

/// What a value was meant to be.
enum ScalarFix {
  static func fixes(
    for text: String, expected: String, among choices: [String], at place: Place, _ input: CheckInput
  ) -> [Fix] {
    if choices.contains("true"), choices.contains("false") {
      guard let value = boolean(text) else { return [] }
      return input.replacing(place, with: value ? "true" : "false", .safe)
    }
    if expected.hasPrefix("a date") {
      return instant(text).map { input.replacing(place, with: $0, .safe) } ?? []
    }
    if expected.hasPrefix("a duration") {
      return duration(text).map { input.replacing(place, with: $0, .safe) } ?? []
    }
    if expected.hasPrefix("1,"), text == "1" { return input.replacing(place, with: "1", .safe) }
    if expected.hasPrefix("1,"), ["1.0", "v1"].contains(text) { return input.replacing(place, with: "1", .suggested) }
    guard let meant = Suggestion.nearest(to: text, among: choices) else { return [] }
    // Another word may weaken the protection, so a fix is safe only if just the spelling differs.
    return input.replacing(place, with: meant, Suggestion.isSameSpelling(text, meant) ? .safe : .suggested)
  }

  /// Other words for true and false, which other readers of YAML take.
  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "y", "on", "true", "1": true
    case "no", "n", "off", "false", "0": false
    default: nil
    }
  }

  /// An instant of another offset, or with small letters or a space, in UTC (RFC 3339 section 5.6); nil for other text.
  static func instant(_ text: String) -> String? {
    var bytes = Array(text.uppercased().utf8)
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ") else { return nil }
    bytes[10] = UInt8(ascii: "T")
    guard let local = Instant(written: String(decoding: bytes[..<19] + [UInt8(ascii: "Z")], as: UTF8.self)) else {
      return nil
    }
    let zone = bytes[19...]
    if zone.elementsEqual("Z".utf8) { return "\(local)" }
    guard zone.count == 6, let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      zone[22] == UInt8(ascii: ":"), let hours = number(zone[20..<22]), let minutes = number(zone[23..<25]),
      hours <= 23, minutes <= 59
    else { return nil }
    let offset = (hours * 60 + minutes) * 60 * (sign == UInt8(ascii: "+") ? -1 : 1)
    let instant = local.adding(seconds: offset)
    // At the limits of the date range, there is no such instant.
    return instant.seconds(since: local) == offset ? "\(instant)" : nil
  }

  /// `90 days`, `2w` as durations of one letter; nil for other text.
  static func duration(_ text: String) -> String? {
    let digits = text.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"), let count = number(digits) else {
      return nil
    }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
    switch unit {
    case "d", "day", "days": return "\(count)d"
    case "h", "hour", "hours": return "\(count)h"
    case "min", "minute", "minutes": return "\(count)m"
    case "w", "week", "weeks": return "\(count * 7)d"
    default: return nil
    }
  }

  private static func number(_ digits: some Sequence<UInt8>) -> Int64? {
    Int64(String(decoding: Array(digits), as: UTF8.self))
  }
}

extension CheckInput {
  /// Writes a text that needs no quotes.
  fileprivate func replacing(_ place: Place, with text: String, _ safety: Fix.Safety) -> [Fix] {
    .fix("write '\(text)'", safety, [Fix.Edit(replacing: place, with: text)])
  }
}
