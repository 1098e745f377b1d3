import PinFormat

/// The keysets that a store trusts, and what else its folder has.
struct KeysetChain: Sendable {
  /// From the shipped one to the newest, each vouched for by the one before; there is always the first.
  private(set) var trusted: [TrustedKeyset]
  /// Those that are older than the shipped one.
  ///
  /// A program that ships one of them begins there. Here nothing is believed of them, as nobody vouches for them.
  private(set) var older: [StoredKeyset] = []
  /// Those that are newer than the newest and don't follow it: another program's, which shipped a later one.
  private(set) var beyond: [StoredKeyset] = []

  init(shipped: TrustedKeyset) {
    trusted = [shipped]
  }

  var shipped: TrustedKeyset { trusted[0] }
  var newest: TrustedKeyset { trusted[trusted.count - 1] }
  /// Whether there is nothing that would have to be kept on disk.
  var isOnlyShipped: Bool { trusted.count == 1 && older.isEmpty && beyond.isEmpty }

  /// Whether the same signed bytes are among the trusted.
  func contains(_ keyset: TrustedKeyset) -> Bool { trusted.contains { $0.digest == keyset.digest } }

  /// Adds what the newest has vouched for.
  mutating func append(_ next: TrustedKeyset) {
    trusted.append(next)
    beyond.removeAll { $0.version <= next.version }
  }

  /// Walks forward over what was found on disk, as far as one vouches for the next.
  ///
  /// - Parameter found: What both copies hold, in any order.
  mutating func walk(over found: [StoredKeyset]) {
    let sorted = (found + older + beyond).sorted { $0.version < $1.version }
    var index = 0
    while index < sorted.count {
      let candidate = sorted[index]
      index += 1
      guard candidate.version == newest.version + 1, let next = try? newest.successor(candidate.bytes) else { continue }
      append(next)
    }
    older = sound(sorted.filter { $0.version < shipped.version })
    beyond = sound(sorted.filter { $0.version > newest.version })
  }

  /// One keyset of each version, which has its own roots' signatures: a file that was spoilt doesn't.
  private func sound(_ sorted: [StoredKeyset]) -> [StoredKeyset] {
    var kept: [StoredKeyset] = []
    for candidate in sorted where kept.last?.version != candidate.version && fault(of: candidate) == nil {
      kept.append(candidate)
    }
    return kept
  }

  /// What is wrong with a keyset by itself, no matter who vouches for it.
  func fault(of keyset: StoredKeyset) -> KeysetError? {
    do throws(KeysetError) {
      _ = try TrustedKeyset.load(shipped: keyset.bytes, audience: shipped.audience)
      return nil
    } catch {
      return error
    }
  }

  /// Whether a file of this version would stand on disk with these very bytes.
  func holds(_ keyset: StoredKeyset) -> Bool {
    let place = keyset.version - shipped.version
    if place >= 0, place < trusted.count { return trusted[Int(place)].fileBytes == keyset.bytes }
    return (place < 0 ? older : beyond).contains { $0 == keyset }
  }

  /// The bytes of the file: one keyset a line, the oldest first; nil where the trusted ones are too many.
  ///
  /// What isn't trusted is left out first, the farthest away before the others.
  var fileBytes: [UInt8]? {
    var lines = trusted.map { $0.fileBytes }
    var size = lines.reduce(0) { $0 + $1.count + 1 }
    guard lines.count <= Self.maximumCount, size <= Self.maximumBytes else { return nil }
    func fits(_ keyset: StoredKeyset) -> Bool {
      size += keyset.bytes.count + 1
      return lines.count < Self.maximumCount && size <= Self.maximumBytes
    }
    for keyset in beyond {
      guard fits(keyset) else { break }
      lines.append(keyset.bytes)
    }
    for keyset in older.reversed() {
      guard fits(keyset) else { break }
      lines.insert(keyset.bytes, at: 0)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    for line in lines {
      bytes += line
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// The most keysets of a file.
  static let maximumCount = 1_024
  /// The most bytes of a file: 16 MiB.
  static let maximumBytes = 16 << 20
}

/// A keyset as it is in a store's folder, of which only the number was read.
struct StoredKeyset: Hashable, Sendable {
  let version: Int64
  /// The whole keyset file.
  let bytes: [UInt8]

  /// Takes a line of the file.
  init(_ line: ArraySlice<UInt8>) throws(KeysetError) {
    bytes = Array(line)
    version = try TrustedKeyset.version(unverified: bytes)
  }
}
