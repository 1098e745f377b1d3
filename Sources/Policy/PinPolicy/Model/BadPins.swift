package import PinFormat

/// Pins behind which nobody has a key.
///
/// A pin is bad for what it is, and never for where it was published: much of what is in documentation is the key of a
/// real CA, and lists that were imported pin it on purpose.
package enum BadPins {
  /// What is wrong with a pin, as the rest of a sentence, or nil.
  ///
  /// Of random pins, fewer than one in 10^9 is called bad: see ``PlaceholderText``, to which the rest adds less than one
  /// in 10^13.
  package static func description(of pin: Pin) -> String? {
    // There are few, so comparing is faster than hashing.
    if let number = noKeys.pins.firstIndex(of: pin) { return "is SHA-256 of \(noKeys.texts[number])" }
    let digest = pin.digest
    for period in 1...8 where repeats(digest, every: period) {
      return period == 1 ? "is one byte repeated: a placeholder" : "repeats itself: a placeholder"
    }
    if isRow(digest) { return "counts its bytes up or down: a placeholder" }
    // One digest in 10^13 has only printable ASCII.
    if bytes.allSatisfy({ (0x20...0x7E).contains(digest[$0]) }) { return "is ASCII text, not a digest" }
    return PlaceholderText.description(of: pin)
  }

  private static let bytes = 0..<SHA256Digest.byteCount

  private static func repeats(_ digest: SHA256Digest, every period: Int) -> Bool {
    for index in period..<SHA256Digest.byteCount where digest[index] != digest[index - period] { return false }
    return true
  }

  private static func isRow(_ digest: SHA256Digest) -> Bool {
    let step = digest[1] &- digest[0]
    return (step == 1 || step == 255) && bytes.dropFirst().allSatisfy { digest[$0] &- digest[$0 - 1] == step }
  }

  /// Digests of texts that hold no key.
  private static let noKeys: (pins: [Pin], texts: [String]) = {
    let all = [
      ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "no bytes at all"),
      ("AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=", "a single line break"),
      ("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "the text 'hello'"),
    ].compactMap { base64, text in (try? Pin("sha256/" + base64)).map { ($0, text) } }
    return (all.map(\.0), all.map(\.1))
  }()
}
