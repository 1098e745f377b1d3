package import PinFormat

extension Evidence.Shard {
  /// Reads `3/10`: the third of ten; nil where it is anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Self.decimal(parts[0]), let count = Self.decimal(parts[1]),
      (1...Self.most).contains(count), (1...count).contains(number)
    else { return nil }
    self.init(number: number, count: count)
  }

  /// The most shards of a fleet.
  package static let most = 10_000

  /// True where a host is in this part of the fleet.
  ///
  /// It depends on the name and on the number of parts alone, so a host that comes or goes moves no other, and all ports
  /// of a host are in one part.
  package func holds(_ host: HostName) -> Bool {
    StableHash.of(host.text) % UInt64(count) == UInt64(number - 1)
  }

  private static func decimal(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      return nil
    }
    return Int(text)
  }
}

/// A hash that is the same on every machine and in every run, which Swift's own isn't.
enum StableHash {
  /// FNV-1a of 64 bits, and the finisher of SplitMix64 so that any number of low bits can be taken.
  static func of(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return hash ^ hash >> 31
  }
}
