#if Service
import PinFormat

/// The header field `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in the preferred form.
enum RetryAfter {
  /// The seconds to wait, from 0 to `most`; nil where the field can't be read.
  static func seconds(_ field: String, at now: Instant, most: Int64) -> Int64? {
    if !field.isEmpty, field.utf8.count <= 18, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Int64(field).map { min($0, most) }
    }
    return date(field).map { min(max(0, $0.seconds(since: now)), most) }
  }

  /// Reads an IMF-fixdate (section 5.6.7); the obsolete forms are not read.
  static func date(_ field: String) -> Instant? {
    let parts = field.split(separator: " ", omittingEmptySubsequences: false)
    guard field.utf8.count == 29, parts.count == 6, parts[5] == "GMT",
      let month = months.firstIndex(where: { $0 == parts[2] })
    else { return nil }
    let number = month + 1
    return Instant("\(parts[3])-\(number < 10 ? "0" : "")\(number)-\(parts[1])T\(parts[4])Z".utf8)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
#endif
