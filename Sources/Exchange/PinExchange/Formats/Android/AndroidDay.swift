import PinFormat

/// The `yyyy-MM-dd` of Android's and TrustKit's files.
enum AndroidDay {
  /// The day that an instant falls on, in UTC.
  static func text(_ instant: Instant) -> String { String(instant.description.prefix(10)) }

  /// 00:00:00Z of a day; nil for what isn't one.
  ///
  /// Java's `SimpleDateFormat` takes `2027-6-1` too, and what follows a day it passes over.
  static func instant(_ text: String) -> Instant? {
    let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 4 else { return nil }
    let day = parts[2].prefix { ("0"..."9").contains($0) }
    guard (1...2).contains(parts[1].utf8.count), (1...2).contains(day.utf8.count) else { return nil }
    func padded(_ text: Substring) -> String { text.utf8.count == 1 ? "0" + text : String(text) }
    return Instant(written: "\(parts[0])-\(padded(parts[1]))-\(padded(day))")
  }
}
