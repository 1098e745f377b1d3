import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Which entry applies")
struct EntryChoiceTests {
  private func governing(_ host: String, _ port: UInt16, in manifest: LoadedManifest) throws -> String? {
    switch manifest.govern(host: host, port: port, at: try instant("2026-11-20")) {
    case .answered(let verdict): verdict.context.entry.flatMap { manifest.entryLabel($0) }
    case .pinned(let entry): manifest.entryLabel(entry.number)
    }
  }

  @Test("The most specific entry governs, and pins are never merged")
  func examples() throws {
    let manifest = try loaded(
      .sample(hosts: [
        .init("example.com", subdomains: true), .init("a.example.com"),
        .init("off.example.com", subdomains: true, .off),
        .init("p.example.com"), .init("p.example.com", port: 8443, subdomains: true),
        .init("q.example.com", port: 8443), .init("10.0.0.5"), .init("2001:db8::1", port: 443),
      ]))
    let cases: [(String, UInt16, String?)] = [
      ("example.com", 443, "example.com"), ("EXAMPLE.com.", 443, "example.com"), ("x.y.example.com", 1, "example.com"),
      ("notexample.com", 443, nil), ("com", 443, nil), ("example.com.evil.net", 443, nil),
      ("a.example.com", 443, "a.example.com"), ("b.a.example.com", 443, "example.com"),
      ("x.off.example.com", 443, "off.example.com"), ("a_b.example.com", 443, "example.com"),
      ("p.example.com", 443, "p.example.com"), ("p.example.com", 8443, "p.example.com:8443"),
      ("x.p.example.com", 8443, "p.example.com:8443"), ("x.p.example.com", 443, "example.com"),
      // The exact host has an entry for another port only, so its ancestor's covers it.
      ("q.example.com", 443, "example.com"), ("q.example.com", 8443, "q.example.com:8443"),
      ("10.0.0.5", 443, "10.0.0.5"), ("::ffff:10.0.0.5", 443, "10.0.0.5"), ("[::ffff:a00:5]", 443, "10.0.0.5"),
      ("1.10.0.0.5.example.com", 443, "example.com"), ("10.0.0.6", 443, nil),
      ("2001:DB8:0::1", 443, "[2001:db8::1]:443"), ("[2001:db8::1]", 443, "[2001:db8::1]:443"),
      ("2001:db8::1", 444, nil),
    ]
    for (host, port, expected) in cases {
      #expect(try governing(host, port, in: manifest) == expected, "\(host):\(port)")
    }
  }

  @Test("Random small worlds agree with a naive search", arguments: 0..<30)
  func oracle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let manifest = try World.random(&random)
    let loaded = try loaded(manifest)
    for _ in 0..<200 {
      let host = World.name(&random, labels: 1 + random.below(4))
      let port = random.pick(World.ports)
      let expected = World.governing(host, port, manifest.hosts)?.label
      #expect(try governing(host, port, in: loaded) == expected, "\(host):\(port)")
    }
  }
}

/// Few names and ports, so that entries meet often.
private enum World {
  static let ports: [UInt16] = [443, 444, 8_443]

  static func name(_ random: inout SeededGenerator, labels: Int) -> String {
    (0..<labels).map { _ in random.pick(["a", "b", "ab"]) }.joined(separator: ".")
  }

  static func random(_ random: inout SeededGenerator) throws -> Manifest {
    var entries: [Manifest.HostEntry] = []
    for _ in 0..<random.below(14) {
      let entry = try Manifest.HostEntry(
        name(&random, labels: 1 + random.below(3)), port: random.once(in: 2) ? random.pick(ports) : nil,
        subdomains: random.once(in: 2), random.pick([.enforce, .reportOnly, .off]))
      if !entries.contains(where: { $0.host == entry.host && $0.port == entry.port }) { entries.append(entry) }
    }
    var manifest = try Manifest.sample(hosts: entries)
    manifest.hosts.sort { $0.host.text == $1.host.text ? ($0.port ?? 0) < ($1.port ?? 0) : $0.host < $1.host }
    return manifest
  }

  /// The definition, word for word.
  static func governing(_ host: String, _ port: UInt16, _ entries: [Manifest.HostEntry]) -> Manifest.HostEntry? {
    let exact = entries.filter { $0.host.text == host }
    if let found = exact.first(where: { $0.port == port }) ?? exact.first(where: { $0.port == nil }) { return found }
    let ancestors = entries.filter { $0.includeSubdomains && host.hasSuffix("." + $0.host.text) }
      .filter { $0.port == nil || $0.port == port }
    return ancestors.max { left, right in
      let leftLength = left.host.text.count, rightLength = right.host.text.count
      return leftLength == rightLength ? right.port != nil : leftLength < rightLength
    }
  }
}
