import PinFormat

/// The dates of HTTP (RFC 9110 section 5.6.7).
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may be sent; nil where the text is anything else.
  ///
  /// The day of the week is not compared with the date: it says nothing more.
  static func instant(_ text: String) -> Instant? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
      parts[1].utf8.count == 2, let month = months.firstIndex(of: String(parts[2])), parts[3].utf8.count == 4,
      parts[4].utf8.count == 8
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Instant("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z".utf8)
  }
}
