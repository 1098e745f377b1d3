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
    #expect(outcome(bytes, takesPlainForms: true) == .manifest(manifest))
    #expect(outcome(bytes, takesPlainForms: false) == .manifest(manifest))
    let tables = try ManifestReader.read(bytes, signed: 0..<bytes.count)
    for entry in manifest.hosts {
      let number = try tables.entry(for: entry.host.text.utf8Span.span, port: entry.port ?? 1)
      let found = try #require(number)
      #expect(tables.label(ofEntry: found) == entry.label || entry.port == nil)
    }
  }

  @Test("What was changed is read, or refused in the same words, as the scanner does it", arguments: 0..<12)
  func changes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try fleet(&random).signedBytes()
    var accepted = 0
    for _ in 0..<600 {
      var changed = bytes
      for _ in 0...random.below(2) { change(&changed, &random) }
      let outcome = outcome(changed, takesPlainForms: true)
      #expect(outcome == self.outcome(changed, takesPlainForms: false), "\(String(decoding: changed, as: UTF8.self))")
      if case .manifest = outcome { accepted += 1 }
    }
    #expect(accepted > 0)
  }

  @Test("What ends early is refused in the same words")
  func truncation() throws {
    var random = SeededGenerator(seed: 99)
    let bytes = try fleet(&random).signedBytes()
    for count in stride(from: 0, to: bytes.count, by: 3) {
      let cut = Array(bytes[..<count])
      #expect(outcome(cut, takesPlainForms: true) == outcome(cut, takesPlainForms: false))
    }
  }

  @Test("Hosts at the edges of what is a name")
  func edges() throws {
    let label = String(repeating: "a", count: 63)
    let hosts = [
      "a", "a.b", "-a.b", "a-.b", "a.-b", "a.b-", "a..b", ".a", "a.", "a.1", "a.1b", "a.0x1", "a-b", "a--b", "x_y",
      "A.b",
      label, label + ".b", label + "a.b", "b." + label + "a", "aaaaaaa.b", "aaaaaaaa.b", "aaaaaaa-.b", "aaaaaaaa-.b",
      "aaaaaaa.-b", "aaaaaaaa.-b", "aaaaaaa..b", "aaaaaaaa..b", "aaaaaa.1", "aaaaaaa.1", "10.0.0.5", "2001:db8::1",
    ]
    for host in hosts {
      // Behind one that gives the pattern.
      let first = #"{"host":"0.example.com","key-set":"s","mode":"enforce"}"#
      let second = #"{"host":"\#(host)","key-set":"s","mode":"enforce"}"#
      let text =
        #"{"audience":"x","expires":"2027-01-01T00:00:00Z","hosts":[\#(first),\#(second)],"#
        + #""issued":"2026-01-01T00:00:00Z","key-sets":{"s":{"active":["k"],"backup":[]}},"#
        + #""keys":{"k":{"pin":"K5AviRHoGBj4yZ1dXZgxlXUE2Q6UXeLo9U7ngcx19jY="}},"on-stale":"enforce","#
        + #""provenance":{"compiler":"x","sources":"\#(String(repeating: "0", count: 64))"},"#
        + #""refresh-after":"2026-06-01T00:00:00Z","serial":1,"type":"\#(Manifest.mediaType)","#
        + #""unpinned-hosts":"allow","version":1}"#
      let bytes = Array(text.utf8)
      #expect(outcome(bytes, takesPlainForms: true) == outcome(bytes, takesPlainForms: false), "\(host)")
    }
  }

  // MARK: Support

  private enum Outcome: Equatable {
    case manifest(Manifest)
    case refused(FormatError.Code, offset: Int, String)
  }

  private func outcome(_ bytes: [UInt8], takesPlainForms: Bool) -> Outcome {
    do throws(FormatError) {
      let tables = try ManifestReader.read(bytes, signed: 0..<bytes.count, takesPlainForms: takesPlainForms)
      return .manifest(Manifest(tables))
    } catch {
      return .refused(error.code, offset: error.offset, error.description)
    }
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
          trust: nil))
      if !hosts[number].host.isAddress { hosts[number].includeSubdomains = random.once(in: 4) }
    }
    return Manifest(
      audience: "test", serial: 1, issued: instant, refreshAfter: instant, expires: instant, onStale: .enforce,
      previous: nil, provenance: .init(sources: digest(&random), commit: nil, compiler: "x"), unpinnedHosts: .allow,
      keys: keys.sorted { $0.name < $1.name }, keySets: sets.sorted { $0.name < $1.name }, certificates: [],
      hosts: hosts.sorted { $0.precedes($1) })
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
