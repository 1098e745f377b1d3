package import PinFormat

extension Instant {
  /// As people write it in a policy: a plain date where it is the beginning of a day.
  package var written: String {
    let text = description
    return text.hasSuffix("T00:00:00Z") ? String(text.dropLast("T00:00:00Z".utf8.count)) : text
  }
}
