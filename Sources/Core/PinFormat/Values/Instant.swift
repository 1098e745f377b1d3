/// An instant of the UTC time line in whole seconds, written as RFC 3339 with `Z` (`2027-06-01T00:00:00Z`).
///
/// Covers the years 0001 to 9999 of the proleptic Gregorian calendar. Leap seconds don't exist in it, as in POSIX time.
public struct Instant: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z.
  public let secondsSinceEpoch: Int64

  /// The first representable instant, 0001-01-01T00:00:00Z.
  public static let earliest = Instant(secondsSinceEpoch: -62_135_596_800)
  /// The last representable instant, 9999-12-31T23:59:59Z.
  public static let latest = Instant(secondsSinceEpoch: 253_402_300_799)

  /// Wraps seconds since 1970-01-01T00:00:00Z, brought into the years 0001 to 9999.
  public init(secondsSinceEpoch: Int64) {
    self.secondsSinceEpoch = min(max(secondsSinceEpoch, -62_135_596_800), 253_402_300_799)
  }

  /// Reads `YYYY-MM-DDTHH:MM:SSZ`, the only form that a manifest may hold, or answers nil.
  public init?(_ text: some Collection<UInt8>) {
    guard text.count == 20 else { return nil }
    let bytes = Array(text)
    self.init(exactly: bytes.span)
  }

  /// Reads the form of a manifest where it is.
  private init?(exactly text: Span<UInt8>) {
    guard text.count == 20, let day = DigitReader.date(text),
      text[10] == UInt8(ascii: "T"), let hour = DigitReader.number(text, at: 11, digits: 2), hour < 24,
      text[13] == UInt8(ascii: ":"), let minute = DigitReader.number(text, at: 14, digits: 2), minute < 60,
      text[16] == UInt8(ascii: ":"), let second = DigitReader.number(text, at: 17, digits: 2), second < 60,
      text[19] == UInt8(ascii: "Z")
    else { return nil }
    self.init(secondsSinceEpoch: day * 86_400 + hour * 3_600 + minute * 60 + second)
  }

  /// Reads what a person writes: `YYYY-MM-DDTHH:MM:SSZ`, or `YYYY-MM-DD` for 00:00:00Z of that day; nil otherwise.
  public init?(written text: String) {
    self.init(written: text.utf8Span.span)
  }

  /// Reads what a person writes, in UTF-8.
  package init?(written text: Span<UInt8>) {
    if text.count == 10 {
      guard let day = DigitReader.date(text) else { return nil }
      self.init(secondsSinceEpoch: day * 86_400)
    } else {
      self.init(exactly: text)
    }
  }

  /// RFC 3339 in UTC with whole seconds: `2027-06-01T00:00:00Z`.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the 20 characters of the description.
  func append(to text: inout [UInt8]) {
    let (days, rest) = daysAndSeconds
    let (year, month, day) = Calendar.date(ofDay: days)
    var characters = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
    func put(_ number: Int64, at offset: Int) {
      characters[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
      characters[offset + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
    put(year / 100, at: 0)
    put(year % 100, at: 2)
    put(month, at: 5)
    put(day, at: 8)
    characters[10] = UInt8(ascii: "T")
    put(rest / 3_600, at: 11)
    characters[13] = UInt8(ascii: ":")
    put(rest / 60 % 60, at: 14)
    characters[16] = UInt8(ascii: ":")
    put(rest % 60, at: 17)
    characters[19] = UInt8(ascii: "Z")
    characters.span.withUnsafeBufferPointer { text.append(contentsOf: $0) }
  }

  /// Days since 1970-01-01, and the seconds of the last one.
  private var daysAndSeconds: (days: Int64, seconds: Int64) {
    let (days, rest) = secondsSinceEpoch.quotientAndRemainder(dividingBy: 86_400)
    return rest < 0 ? (days - 1, rest + 86_400) : (days, rest)
  }

  /// Orders by time.
  public static func < (left: Instant, right: Instant) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

  /// The instant that is so many seconds later (or earlier, where negative), brought into the years 0001 to 9999.
  public func adding(seconds: Int64) -> Instant {
    let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
    if overflow { return seconds < 0 ? .earliest : .latest }
    return Instant(secondsSinceEpoch: sum)
  }

  /// Seconds from another instant to this one; negative where this one is earlier.
  public func seconds(since other: Instant) -> Int64 { secondsSinceEpoch - other.secondsSinceEpoch }

  /// Midnight of the same day so many years later; of 28 February for a leap day in a year without one.
  package func adding(years: Int64) -> Instant {
    let (year, month, day) = Calendar.date(ofDay: daysAndSeconds.days)
    let later = min(day, Calendar.daysInMonth(month, year: year + years))
    return Instant(secondsSinceEpoch: Calendar.day(ofYear: year + years, month: month, day: later) * 86_400)
  }
}

/// The proleptic Gregorian calendar, by days since 1970-01-01.
///
/// The arithmetic counts from 1 March of year 0, where the leap day is the last day of a year.
private enum Calendar {
  static func day(ofYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

/// Reads decimal numbers of fixed width.
private enum DigitReader {
  /// Reads `YYYY-MM-DD` at the beginning of a text of at least ten bytes, and answers the days since 1970-01-01.
  static func date(_ text: Span<UInt8>) -> Int64? {
    guard let year = number(text, at: 0, digits: 4), year > 0,
      text[4] == UInt8(ascii: "-"), let month = number(text, at: 5, digits: 2), (1...12).contains(month),
      text[7] == UInt8(ascii: "-"), let day = number(text, at: 8, digits: 2), day > 0,
      day <= Calendar.daysInMonth(month, year: year)
    else { return nil }
    return Calendar.day(ofYear: year, month: month, day: day)
  }

  static func number(_ text: Span<UInt8>, at start: Int, digits: Int) -> Int64? {
    var value: Int64 = 0
    for index in start..<start + digits {
      let character = text[index]
      guard character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int64(character - UInt8(ascii: "0"))
    }
    return value
  }
}
