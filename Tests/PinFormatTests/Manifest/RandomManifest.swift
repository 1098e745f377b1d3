import PinFormat
import TestSupport

/// Makes manifests of any shape out of a seed, each in the order in which reading gives it back.
struct RandomManifest {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func next() -> Manifest {
    let keys = names(1 + random.below(6)).map { name in
      Manifest.Key(
        name: name, pin: Pin(digest()), position: maybe { $0.pick(ChainPosition.allCases) },
        denied: random.once(in: 4) ? text() : nil)
    }
    let keyNames = keys.map(\.name)
    let keySets = (names(random.below(4)) + (random.once(in: 2) ? ["host:api.example.com:8443"] : []))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { name in
        let active = keyNames.filter { _ in random.once(in: 2) }
        let backup = keyNames.filter { _ in random.once(in: 3) }
        return Manifest.KeySet(name: name, active: active.isEmpty && backup.isEmpty ? keyNames : active, backup: backup)
      }
    let certificates = (0..<random.below(3)).map { _ in
      Manifest.Certificate(fingerprint: digest(), der: random.bytes(1 + random.below(40)))
    }.sorted { $0.fingerprint.hex < $1.fingerprint.hex }
    let issued = instant()
    let refreshAfter = issued.adding(seconds: Int64(random.below(1_000_000)))
    return Manifest(
      audience: text(), serial: Int64(1 + random.below(1_000_000_000)), issued: issued, refreshAfter: refreshAfter,
      expires: refreshAfter.adding(seconds: Int64(random.below(1_000_000))),
      onStale: random.pick(ExpiryAction.allCases), previous: maybe { Self.digest(&$0) },
      provenance: Manifest.Provenance(
        sources: digest(), commit: random.once(in: 2) ? Hex.encode(random.bytes(random.once(in: 2) ? 20 : 32)) : nil,
        compiler: text()),
      unpinnedHosts: random.pick(UnpinnedHosts.allCases), critical: random.once(in: 4) ? names(2) : [],
      drasticChange: random.once(in: 4) ? text() : nil, keys: keys, keySets: keySets, certificates: certificates,
      hosts: hosts(keySets.map(\.name), certificates.map(\.fingerprint)))
  }

  private mutating func hosts(_ keySets: [String], _ certificates: [SHA256Digest]) -> [Manifest.HostEntry] {
    var seen: Set<String> = []
    var entries: [Manifest.HostEntry] = []
    for _ in 0..<random.below(12) {
      let entry = entry(keySets, certificates)
      if seen.insert("\(entry.host.text) \(entry.port ?? 0)").inserted { entries.append(entry) }
    }
    return entries.sorted { left, right in
      left.host == right.host ? (left.port ?? 0) < (right.port ?? 0) : left.host < right.host
    }
  }

  private mutating func entry(_ keySets: [String], _ certificates: [SHA256Digest]) -> Manifest.HostEntry {
    let text = random.pick([
      "example.com", "a.example.com", "b.a.example.com", "x1.net", "10.0.0.5", "2001:db8::1", "::1",
      "xn--mnchen-3ya.de",
    ])
    let host = (try? HostName(canonicalising: text)) ?? Self.fallback
    let mode = keySets.isEmpty ? Mode.off : random.pick(Mode.allCases)
    let expires = mode != .off && random.once(in: 2) ? instant() : nil
    return Manifest.HostEntry(
      host: host, port: maybe { UInt16(1 + $0.below(65_535)) },
      includeSubdomains: !host.isAddress && random.once(in: 2), mode: mode,
      keySet: mode == .off ? nil : random.pick(keySets),
      requirement: mode == .off ? .any : random.pick(Requirement.allCases), expires: expires,
      onExpiry: expires == nil ? nil : random.pick(ExpiryAction.allCases),
      reportURIs: mode == .off || random.once(in: 2)
        ? [] : (0...random.below(2)).map { "https://pins.example.org/reports/\($0)?a=%20" },
      trust: mode == .off || random.once(in: 2) ? nil : trust(certificates))
  }

  private mutating func trust(_ certificates: [SHA256Digest]) -> Manifest.Trust {
    Manifest.Trust(
      systemAnchors: false, anchors: certificates.filter { _ in random.once(in: 2) },
      intermediates: certificates.filter { _ in random.once(in: 2) },
      certificate: random.once(in: 3) ? certificates.first : nil,
      serverName: random.once(in: 3) ? Self.fallback : nil,
      exceptions: ExcusableFailure.allCases.sorted { $0.rawValue < $1.rawValue }.prefix(random.below(3)).map {
        Manifest.Exception(failure: $0, certificate: Self.zero, until: .latest, reason: "a \"reason\"")
      },
      minimumRSABits: maybe { 2_048 + $0.below(4_096) }, minimumECBits: maybe { 256 + $0.below(256) },
      signatures: SignatureFamily.allCases.filter { _ in random.once(in: 2) }.sorted { $0.rawValue < $1.rawValue },
      minimumTLS: maybe { $0.pick(TLSVersion.allCases) })
  }

  private static let zero = SHA256Digest([UInt8](repeating: 0, count: 32)) ?? Pin.empty
  private static let fallback = HostName.example

  private mutating func maybe<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? {
    random.once(in: 2) ? make(&random) : nil
  }

  private mutating func digest() -> SHA256Digest { Self.digest(&random) }

  private static func digest(_ random: inout SeededGenerator) -> SHA256Digest {
    SHA256Digest(random.bytes(32)) ?? Pin.empty
  }

  private mutating func instant() -> Instant {
    Instant(secondsSinceEpoch: Int64(random.below(4_000_000_000)))
  }

  /// Distinct names, sorted.
  private mutating func names(_ count: Int) -> [String] {
    var names: Set<String> = []
    while names.count < count {
      let length = random.below(12)
      names.insert(
        random.pick(["a", "k", "7"])
          + String((0..<length).map { _ in random.pick(Array("abcxyz019._-")) }))
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Free text with everything that needs an escape, and with characters of two to four bytes.
  private mutating func text() -> String {
    let scalars: [Character] = [
      "a", "Z", " ", "/", "\"", "\\", "\n", "\t", "\r", "\u{8}", "\u{c}", "\u{1}", "\u{1f}", "\u{7f}", "ü", "€",
      "\u{2028}", "𝄞", "\u{ffff}",
    ]
    return String((0...random.below(12)).map { _ in random.pick(scalars) })
  }
}
