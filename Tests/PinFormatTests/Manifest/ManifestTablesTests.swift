import TestSupport
import Testing

@testable import PinFormat

/// Nothing is kept of the bytes that tables were read from, so what they answer shows what they keep.
@Suite("What tables keep of a manifest")
struct ManifestTablesTests {
  private static let instant = Instant(secondsSinceEpoch: 1_800_000_000)

  /// Each entry's host and port, and the name of its set.
  private static let entries: [(host: String, port: UInt16?, set: String)] = [
    ("10.0.0.5", nil, "host:10.0.0.5"), ("10.0.0.5", 443, "host:10.0.0.5:443"),
    ("2001:db8::1", nil, "host:2001:db8::1"), ("2001:db8::1", 8443, "host:[2001:db8::1]:8443"),
    ("a.test", nil, "host:a.test"), ("a.test", 1, "host:a.test:1"), ("a.test", 65_535, "host:a.test:65535"),
    // Of another entry, of no entry, and names with a common prefix.
    ("b.test", nil, "host:a.test:1"), ("c.test", 8443, "host:c.test"), ("d.test", nil, "host:d.test.example"),
    ("e.test.example", nil, "host:e.test"), ("f.test", nil, "host:a.test:1"), ("g.test", nil, "host:[::]:1"),
    ("h.test", 7, "host:h.test:7"), ("i.test", nil, "host"), ("j.test", nil, "hosts"),
  ]

  @Test("Key sets keep their names, whichever entry they were written for")
  func namesOfKeySets() throws {
    let manifest = try Self.manifest(
      Self.entries.map { (try HostName(canonicalising: $0.host), $0.port, $0.set, nil, []) })
    let tables = try Self.tables(of: manifest)
    for (number, entry) in Self.entries.enumerated() {
      let set = try #require(tables.hosts[number].keySet)
      #expect(tables.name(ofKeySet: set) == entry.set)
      #expect(tables.host(ofEntry: number) == entry.host)
      #expect(tables.hosts[number].port == entry.port)
      #expect(try tables.entry(for: entry.host.utf8Span.span, port: entry.port ?? 9) == number)
    }
  }

  @Test("The name of a set that is made of its entry's takes no room", arguments: entries.indices)
  func roomOfNames(number: Int) throws {
    let entry = Self.entries[number]
    let host = try HostName(canonicalising: entry.host)
    let tables = try Self.tables(of: Self.manifest([(host, entry.port, entry.set, nil, [])]))
    let label = entry.port.map { (host.kind == .ipv6 ? "[\(host.text)]" : host.text) + ":\($0)" } ?? host.text
    // A name that is kept has its quotation mark; the key is called `k`.
    let kept = entry.set == "host:" + label ? 0 : entry.set.utf8.count + 1
    #expect(tables.text.count == entry.host.utf8.count + kept + 1)
  }

  @Test("A key that isn't there is noticed among many", arguments: ["k0", "k100", "k1000x", "k1250x", "k1399x", "k9"])
  func missingKey(name: String) throws {
    var manifest = try Self.manifest([(try HostName(canonicalising: "a.test"), nil, "s", nil, [])])
    manifest.keys = (1_000..<1_400).map {
      .init(name: "k\($0)", pin: Pin(Self.digest(1)), position: nil, denied: nil)
    }
    for others in [[], ["k1007"], (1_020..<1_400).filter { $0 % 20 == 0 }.reversed().map { "k\($0)" }] {
      manifest.keySets = others.enumerated().map {
        .init(name: "a\(1_000 + $0.offset)", active: [$0.element], backup: [])
      }
      manifest.keySets.append(.init(name: "s", active: [name], backup: []))
      let bytes = manifest.signedBytes()
      let error = try #require(throws: FormatError.self) { try ManifestReader.read(bytes, signed: bytes.indices) }
      #expect(error.description.contains("the key \"\(name)\" is not there"))
    }
  }

  @Test("Entries have their own dates and reports, however many differ", arguments: [1, 15, 16, 17, 33, 700])
  func terms(distinct: Int) throws {
    var random = SeededGenerator(seed: UInt64(distinct))
    let manifest = try Self.manifest(
      (0..<distinct * 2).map { number in
        let expires = random.once(in: 9) ? nil : Self.instant.adding(seconds: Int64(random.below(distinct)))
        let list = random.below(distinct + 1)
        let reports = list == 0 ? [] : (0...random.below(3)).map { "https://r.test/\(list)/\($0)" }
        return (try HostName(canonicalising: "h\(number).test"), nil, "s", expires, reports)
      })
    let tables = try Self.tables(of: manifest)
    for (number, entry) in Manifest(tables).hosts.enumerated() {
      #expect(tables.expiry(of: tables.hosts[number]) == entry.expires)
      #expect(tables.reportURIs(ofEntry: number) == entry.reportURIs)
    }
  }

  @Test("Reasons of denials, and certificates, are found by number and name")
  func few() throws {
    var manifest = try Self.manifest([(try HostName(canonicalising: "a.test"), nil, "s", nil, [])])
    manifest.keys = (10..<90).map { number in
      .init(
        name: "k\(number)", pin: Pin(Self.digest(UInt8(number))), position: nil,
        denied: number % 7 == 0 ? "lost \"\(number)\"\n" : nil)
    }
    manifest.keySets = [.init(name: "s", active: ["k10"], backup: ["k11"])]
    manifest.certificates = [3, 5, 9].map { .init(fingerprint: Self.digest($0), der: [$0, 0, $0]) }
    let tables = try Self.tables(of: manifest)
    for (number, key) in manifest.keys.enumerated() {
      #expect(tables.denial(ofKey: number) == key.denied)
      #expect(tables.deniedKey(key.pin) == (key.denied == nil ? nil : number))
    }
    #expect(tables.deniedKey(Pin(Self.digest(200))) == nil)
    for byte in UInt8(0)..<12 {
      #expect(tables.certificate(Self.digest(byte)) == ([3, 5, 9].contains(byte) ? [byte, 0, byte] : nil))
    }
  }

  @Test("Names are found in any order, however often they are referred to out of order", arguments: [3, 200, 1_000])
  func references(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    // Mostly in order; in random order; and in reverse order.
    for pick in [{ random.once(in: 50) ? random.below(count) : $0 }, { _ in random.below(count) }, { count - 1 - $0 }] {
      var manifest = try Self.manifest(
        (0..<count).map { (try HostName(canonicalising: "h\($0).test"), nil, "s\(pick($0))", nil, []) })
      manifest.keys = (0..<count).map { .init(name: "k\($0)", pin: Pin(Self.digest(1)), position: nil, denied: nil) }
      for number in manifest.keySets.indices {
        manifest.keySets[number].active = Set([number, number + 1].map { "k\(pick($0 % count))" }).sorted()
        manifest.keySets[number].backup = ["k\(pick(number))"]
      }
      let tables = try Self.tables(of: manifest)
      for (number, entry) in Manifest(tables).hosts.enumerated() {
        #expect(tables.name(ofKeySet: try #require(tables.hosts[number].keySet)) == entry.keySet)
      }
      let sets = Dictionary(uniqueKeysWithValues: manifest.keySets.map { ($0.name, $0) })
      for set in Manifest(tables).keySets {
        #expect(Set(set.active) == Set(sets[set.name]?.active ?? []))
        #expect(set.backup == sets[set.name]?.backup)
      }
    }
  }

  /// Entries of all kinds, and what their sets are called.
  private static let owners: [(host: String, port: UInt16?, set: String)] = [
    ("a.test", nil, "host:a.test"), ("b.test", nil, "host:b.test"), ("b.test", 443, "host:b.test:443"),
    ("c.test", nil, "shared"), ("d.test", nil, "host:d.test"), ("e.test", 443, "host:e.test:443"),
  ]

  @Test("A missing set is reported with its name and place", arguments: owners.indices, [false, true])
  func missingSet(number: Int, hasBackup: Bool) throws {
    var manifest = try Self.manifest(
      Self.owners.map { (try HostName(canonicalising: $0.host), $0.port, $0.set, nil, []) })
    for set in manifest.keySets.indices where hasBackup { manifest.keySets[set].backup = ["k"] }
    let missing = Self.owners[number].set
    for isAlone in [true, false] {
      // The first entry whose set is missing is reported, whichever others are missing too.
      manifest.keySets.removeAll { $0.name == missing || !isAlone && $0.name > missing && $0.name != "shared" }
      let bytes = manifest.signedBytes()
      let error = try #require(throws: FormatError.self) { try ManifestReader.read(bytes, signed: bytes.indices) }
      #expect(error.code == .danglingReference)
      #expect(error.offset == bytes.firstRange(of: "\(missing)\"".utf8)?.lowerBound)
      #expect(error.description.contains("signed.hosts[\(number + 1)]: the key set \"\(missing)\" is not there"))
    }
  }

  @Test("A manifest of another version is reported as that, whatever else it refers to")
  func missingSetOfAnotherVersion() throws {
    var manifest = try Self.manifest([(try HostName(canonicalising: "a.test"), nil, "host:a.test", nil, [])])
    manifest.keySets = []
    var bytes = manifest.signedBytes()
    bytes.replaceSubrange(bytes.count - 2..<bytes.count - 1, with: "2".utf8)
    let error = try #require(throws: FormatError.self) { try ManifestReader.read(bytes, signed: bytes.indices) }
    #expect(error.code == .unsupportedVersion)
  }

  // MARK: Support

  /// Reads what a manifest is written as, and expects the same bytes and the same manifest of the tables.
  private static func tables(of manifest: Manifest) throws -> ManifestTables {
    let bytes = manifest.signedBytes()
    let tables = try ManifestReader.read(bytes, signed: bytes.indices)
    #expect(tables.signedBytes() == bytes)
    #expect(Manifest(tables).signedBytes() == bytes)
    return tables
  }

  private static func manifest(
    _ entries: [(host: HostName, port: UInt16?, set: String, expires: Instant?, reports: [String])]
  ) throws -> Manifest {
    Manifest(
      audience: "test", serial: 1, issued: instant, refreshAfter: instant, expires: instant, onStale: .enforce,
      previous: nil, provenance: .init(sources: digest(0), commit: nil, compiler: "x"), unpinnedHosts: .allow,
      keys: [.init(name: "k", pin: Pin(digest(1)), position: nil, denied: nil)],
      keySets: Set(entries.map(\.set)).sorted().map { .init(name: $0, active: ["k"], backup: []) }, certificates: [],
      hosts: entries.map { entry in
        .init(
          host: entry.host, port: entry.port, includeSubdomains: false, mode: .enforce, keySet: entry.set,
          requirement: .any, expires: entry.expires, onExpiry: entry.expires.map { _ in .block },
          reportURIs: entry.reports, trust: nil)
      })
  }

  private static func digest(_ byte: UInt8) -> SHA256Digest {
    SHA256Digest(InlineArray<32, UInt8>(repeating: byte))
  }
}
