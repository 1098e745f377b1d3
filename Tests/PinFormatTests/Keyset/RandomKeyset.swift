import PinFormat
import TestSupport

/// Makes keysets of any shape out of a seed, each in the order in which reading gives it back.
struct RandomKeyset {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func next() -> Keyset {
    let keys = names(1 + random.below(8)).map { name in
      Keyset.Key(name: name, subjectPublicKeyInfo: random.bytes(32 + random.below(97)))
    }
    let names = keys.map(\.name)
    var roots = names.filter { _ in random.once(in: 2) }
    if roots.isEmpty { roots = [random.pick(names)] }
    // Each key has a role.
    var signers = names.filter { !roots.contains($0) || random.once(in: 3) }
    if signers.isEmpty { signers = [random.pick(names)] }
    let issued = Instant(secondsSinceEpoch: Int64(random.below(4_000_000_000)))
    return Keyset(
      audience: text(), version: number(), issued: issued,
      expires: issued.adding(seconds: Int64(random.below(100_000_000))), serialEpoch: number(), minimumSerial: number(),
      roots: Keyset.Role(keys: roots, threshold: 1 + random.below(roots.count)),
      signers: Keyset.Role(keys: signers, threshold: 1 + random.below(signers.count)), keys: keys,
      critical: random.once(in: 3) ? self.names(1 + random.below(3)) : [])
  }

  private mutating func number() -> Int64 {
    switch random.below(3) {
    case 0: 1
    case 1: Int64(1 + random.below(1_000))
    default: 9_007_199_254_740_991 - Int64(random.below(1_000))
    }
  }

  /// Distinct names, sorted.
  private mutating func names(_ count: Int) -> [String] {
    var names: Set<String> = []
    while names.count < count {
      names.insert(
        random.pick(["a", "k", "7"])
          + String((0..<random.below(12)).map { _ in random.pick(Array("abcxyz019._-")) }))
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func text() -> String {
    let scalars: [Character] = ["a", "Z", " ", "/", "\"", "\\", "\n", "\t", "\u{1}", "ü", "€", "𝄞"]
    return String((0...random.below(12)).map { _ in random.pick(scalars) })
  }
}
