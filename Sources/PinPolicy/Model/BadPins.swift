package import PinFormat

/// Pins behind which nobody has a key, or the wrong people have.
package enum BadPins {
  /// What is wrong with a pin, as the rest of a sentence, or nil.
  package static func description(of pin: Pin) -> String? {
    // They are few: comparing a pin with each takes less than hashing it.
    if let number = published.pins.firstIndex(of: pin) { return published.sources[number] }
    let digest = pin.digest
    for period in 1...8 where repeats(digest, every: period) {
      return period == 1 ? "is one byte repeated: a placeholder" : "repeats itself: a placeholder"
    }
    if isRow(digest) { return "counts its bytes up or down: a placeholder" }
    // Of all digests, one in 10^13 has no byte but printable ASCII.
    if bytes.allSatisfy({ (0x20...0x7E).contains(digest[$0]) }) { return "spells ASCII text: it is no digest" }
    return nil
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

  /// Only values that a document publishes as an example, and whose key no server of ours can have.
  private static let published: (pins: [Pin], sources: [String]) = {
    let sources: [(said: String, pins: [String])] = [
      ("is SHA-256 of no bytes at all", ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]),
      ("is SHA-256 of a single line break", ["AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs="]),
      // Section 2.1.5; the third is also SHA-256 of "hello".
      (
        "is an example of RFC 7469",
        [
          "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=",
          "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
        ]
      ),
      (
        "is an example of MDN's page on Public-Key-Pins",
        ["cUPcTAZWKaASuYWhhneDttWpY3oBAkE3h2+soZS7sWs=", "M8HztCzM3elUxkcjR2S5P4hhyBNf6lHkmjAHKhpGPWE="]
      ),
      (
        "is an example of TrustKit's documentation",
        ["HXXQgxueCIU5TTLHob/bPbwcKOKw6DkfsTWYHbxbqTY=", "0SDf3cRToyZJaMsoS17oF72VMavLxj/N7WBNasNuiR8="]
      ),
      // The leaf of publicobject.com; the CAs' pins beside it are real ones.
      ("is an example of OkHttp's documentation", ["afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig="]),
      (
        "is an example of Android's page on Network Security Configuration",
        ["7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y=", "fwza0LRMXouZHRC8Ei+4PyuldPDcf3UKgO/04cDM1oE="]
      ),
    ]
    let all = sources.flatMap { source in
      source.pins.compactMap { text in
        (try? Pin("sha256/" + text)).map { (pin: $0, said: source.said) }
      }
    }
    return (all.map(\.pin), all.map(\.said))
  }()
}
