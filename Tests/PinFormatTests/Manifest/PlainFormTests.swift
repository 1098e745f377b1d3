import PinFormat
import TestSupport
import Testing

/// What has the plainest form is read some bytes at a time; the scanner alone says what is accepted.
@Suite("Reading the plainest forms")
struct PlainFormTests {
  @Test("Fleets are read as the scanner reads them", arguments: 0..<30)
  func fleets(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let manifest = try fleet(&random)
    let bytes = manifest.signedBytes()
    let outcome = ReadingOutcome(bytes, takesPlainForms: true)
    #expect(outcome.manifest == manifest)
    #expect(outcome == ReadingOutcome(bytes, takesPlainForms: false))
    let tables = try ManifestReader.read(bytes, signed: 0..<bytes.count)
    #expect(tables.signedBytes() == bytes)
    for (record, entry) in zip(tables.hosts, manifest.hosts) { expect(record, of: tables, says: entry) }
    for entry in manifest.hosts {
      let number = try tables.entry(for: entry.host.text.utf8Span.span, port: entry.port ?? 1)
      let found = try #require(number)
      #expect(tables.label(ofEntry: found) == entry.label || entry.port == nil)
    }
  }

  @Test("Manifests of any shape are read as the scanner reads them", arguments: 0..<20)
  func anyShape(seed: UInt64) {
    var random = RandomManifest(seed: seed)
    for _ in 0..<10 {
      let bytes = random.next().signedBytes()
      let outcome = ReadingOutcome(bytes, takesPlainForms: true)
      #expect(outcome.manifest != nil)
      #expect(outcome == ReadingOutcome(bytes, takesPlainForms: false))
    }
  }

  @Test("What was changed is read, or refused in the same words, as the scanner does it", arguments: 0..<12)
  func changes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try fleet(&random).signedBytes()
    var accepted = 0
    for _ in 0..<Thoroughness.pick(200, full: 600) {
      var changed = bytes
      for _ in 0...random.below(2) { change(&changed, &random) }
      let outcome = ReadingOutcome(changed, takesPlainForms: true)
      #expect(
        outcome == ReadingOutcome(changed, takesPlainForms: false), "\(String(decoding: changed, as: UTF8.self))")
      guard outcome.manifest != nil else { continue }
      accepted += 1
      // Both ways share some code, but not with writing.
      #expect(try ManifestReader.read(changed, signed: changed.indices).signedBytes() == changed)
    }
    #expect(accepted > 0)
  }

  @Test("What ends early is refused in the same words, whatever stands behind the end", arguments: [99, 100])
  func truncation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try fleet(&random).signedBytes()
    for count in stride(from: 0, to: bytes.count, by: Thoroughness.pick(3, full: 1)) {
      let scanned = ReadingOutcome(Array(bytes[..<count]), takesPlainForms: false)
      #expect(scanned.manifest == nil)
      #expect(ReadingOutcome(Array(bytes[..<count]), takesPlainForms: true) == scanned)
      // The rest stands there, so that whoever reads on finds what fits.
      #expect(ReadingOutcome(bytes, signed: 0..<count, takesPlainForms: true) == scanned)
    }
  }

  // MARK: Support

  /// The record is what decisions are made on.
  private func expect(_ record: HostRecord, of tables: ManifestTables, says entry: Manifest.HostEntry) {
    #expect(record.port == entry.port)
    #expect(record.includesSubdomains == entry.includeSubdomains)
    #expect(record.mode == entry.mode)
    #expect(record.requirement == entry.requirement)
    #expect(record.onExpiry == entry.onExpiry ?? .enforce)
    #expect(tables.expiry(of: record) == entry.expires)
    #expect(record.hasTrust == (entry.trust != nil))
    #expect(record.keySet.map { tables.name(ofKeySet: $0) } == entry.keySet)
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = random.below(bytes.count)
    switch random.below(6) {
    case 0: bytes.remove(at: place)
    case 1: bytes.insert(random.pick(Array("\"{}[]:,\\0 a-._".utf8)), at: place)
    case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes[place] = random.pick(Array("abcdefghij0123456789-._:\"A=+/".utf8))
    case 4:
      // A piece once more, as where an entry stands twice.
      let length = min(1 + random.below(120), bytes.count - place)
      bytes.insert(contentsOf: Array(bytes[place..<place + length]), at: place)
    default:
      let length = min(1 + random.below(120), bytes.count - place)
      bytes.removeSubrange(place..<place + length)
    }
  }

  /// Hosts that are much alike, with keys of their own or shared sets, and now and then one that is another way.
  private func fleet(_ random: inout SeededGenerator) throws -> Manifest {
    var keys: [Manifest.Key] = []
    var sets = [Manifest.KeySet(name: "public-web", active: ["shared"], backup: [])]
    keys.append(key("shared", &random))
    var hosts: [Manifest.HostEntry] = []
    let instant = Instant(secondsSinceEpoch: 1_800_000_000)
    for number in 0..<8 + random.below(12) {
      let name = "h\(number)" + random.pick(["", "-x", "00000000"]) + ".team\(random.below(3)).example.net"
      let port: UInt16? = random.once(in: 8) ? UInt16(1 + random.below(65_535)) : nil
      var set = "public-web"
      if !random.once(in: 3) {
        set = "host:" + name + (port.map { ":\($0)" } ?? "")
        let stem = "k\(number)" + random.pick(["", "_a", ".b"])
        sets.append(.init(name: set, active: [stem + "-now"], backup: random.once(in: 5) ? [] : [stem + "-next"]))
        keys.append(key(stem + "-now", &random))
        if !(sets.last?.backup.isEmpty ?? true) { keys.append(key(stem + "-next", &random)) }
      }
      let expires = random.once(in: 6) ? nil : instant.adding(seconds: random.once(in: 6) ? 86_400 : 0)
      hosts.append(
        .init(
          host: try HostName(canonicalising: random.once(in: 12) ? "10.0.0.\(number)" : name), port: port,
          includeSubdomains: false, mode: random.once(in: 10) ? .reportOnly : .enforce, keySet: set,
          requirement: random.once(in: 12) ? .leafAndCA : .any, expires: expires,
          onExpiry: expires.map { _ in .block }, reportURIs: random.once(in: 5) ? [] : ["https://r.example.net/x"],
          trust: random.once(in: 10) ? .init(minimumTLS: .tls13) : nil))
      if !hosts[hosts.count - 1].host.isAddress {
        hosts[hosts.count - 1].includeSubdomains = random.once(in: 4)
      }
      // The same host once more, for another port.
      if random.once(in: 8), port != 65_535 {
        hosts.append(hosts[hosts.count - 1])
        hosts[hosts.count - 1].port = (port ?? 0) + 1
      }
      if random.once(in: 10) {
        hosts.append(
          .init(
            host: try HostName(canonicalising: "off.\(name)"), port: nil, includeSubdomains: random.once(in: 2),
            mode: .off, keySet: nil, requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil))
      }
    }
    return Manifest(
      audience: "test", serial: 1, issued: instant, refreshAfter: instant, expires: instant, onStale: .enforce,
      previous: nil, provenance: .init(sources: digest(&random), commit: nil, compiler: "x"), unpinnedHosts: .allow,
      keys: keys.sorted { $0.name < $1.name }, keySets: sets.sorted { $0.name < $1.name }, certificates: [],
      hosts: hosts.sortedByHost())
  }

  private func key(_ name: String, _ random: inout SeededGenerator) -> Manifest.Key {
    .init(
      name: name, pin: Pin(digest(&random)), position: random.once(in: 8) ? .leaf : nil,
      denied: random.once(in: 12) ? "lost" : nil)
  }

  private func digest(_ random: inout SeededGenerator) -> SHA256Digest {
    SHA256Digest(InlineArray<32, UInt8> { _ in UInt8(truncatingIfNeeded: random.next()) })
  }
}
