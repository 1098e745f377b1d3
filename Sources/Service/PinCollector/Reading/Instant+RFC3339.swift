import PinFormat

extension Instant {
  /// Reads any date and time of RFC 3339 section 5.6, or a date alone; fractions of a second are dropped.
  ///
  /// - Returns: Nil where the text is neither.
  init?(anyRFC3339 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64 else { return nil }
    if bytes.count == 10 {
      self.init(written: text)
      return
    }
    guard bytes.count >= 20 else { return nil }
    var head = Array(bytes[..<19])
    guard head[10] == UInt8(ascii: "T") || head[10] == UInt8(ascii: "t") || head[10] == UInt8(ascii: " ") else {
      return nil
    }
    head[10] = UInt8(ascii: "T")
    // A leap second counts as the first second of the next minute, as in POSIX time.
    let isLeap = head[17] == UInt8(ascii: "6") && head[18] == UInt8(ascii: "0")
    if isLeap { (head[17], head[18]) = (UInt8(ascii: "5"), UInt8(ascii: "9")) }
    guard let local = Instant(head + [UInt8(ascii: "Z")]) else { return nil }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count)
    }
    guard let offset = Self.offset(Array(rest)) else { return nil }
    self = local.adding(seconds: (isLeap ? 1 : 0) - offset)
  }

  /// The seconds east of UTC of `Z` or `+hh:mm`.
  private static func offset(_ text: [UInt8]) -> Int64? {
    if text == [UInt8(ascii: "Z")] || text == [UInt8(ascii: "z")] { return 0 }
    guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"), text[3] == UInt8(ascii: ":"),
      let hours = Int64(String(decoding: text[1...2], as: UTF8.self)), (0..<24).contains(hours),
      let minutes = Int64(String(decoding: text[4...5], as: UTF8.self)), (0..<60).contains(minutes)
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return text[0] == UInt8(ascii: "-") ? -seconds : seconds
  }
}
