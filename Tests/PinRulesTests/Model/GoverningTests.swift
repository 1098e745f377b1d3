import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import TestSupport
import Testing

/// However entries are stored, the same one governs: that of the definition, in every small world.
@Suite("Which entry governs")
struct GoverningTests {
  /// What an entry of one name and port may be.
  private enum Choice: CaseIterable {
    case absent
    case alone
    case withSubdomains
  }

  private static let names = ["x", "a.x", "b.a.x"]
  private static let ports: [UInt16?] = [nil, 443]
  /// Names of entries, between and below them, and others that end alike.
  private static let questions = [
    "x", "a.x", "b.a.x", "c.b.a.x", "d.c.b.a.x", "c.a.x", "c.x", "ax", "xa.x", "a", "x.a",
  ]

  @Test("In every world of three names and two ports", arguments: 0..<27)
  func smallWorlds(first: Int) throws {
    let count = Choice.allCases.count
    for rest in 0..<27 {
      var number = first * 27 + rest
      var entries: [Policy.HostEntry] = []
      for name in Self.names {
        for port in Self.ports {
          let choice = Choice.allCases[number % count]
          number /= count
          guard choice != .absent else { continue }
          entries.append(try Handmade.entry(name, port: port, subdomains: choice == .withSubdomains, mode: .off))
        }
      }
      try expectAllAgree(entries, on: Self.questions, ports: [443, 80])
    }
  }

  @Test("With addresses, which are above and below nothing")
  func addresses() throws {
    let entries = [
      try Handmade.entry("0.0.5.example", subdomains: true, mode: .off), try Handmade.entry("10.0.0.5", mode: .off),
      try Handmade.entry("10.0.0.5", port: 443, mode: .off), try Handmade.entry("2001:db8::1", port: 443, mode: .off),
      try Handmade.entry("example", subdomains: true, mode: .off),
    ]
    try expectAllAgree(
      entries, on: ["10.0.0.5", "10.0.0.6", "2001:db8::1", "2001:db8::2", "1.0.0.5.example", "example"],
      ports: [443, 80])
  }

  @Test("In larger worlds", arguments: 0..<100 as Range<UInt64>)
  func largerWorlds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func name() -> String { (0...random.below(4)).map { _ in random.pick(["a", "b", "ab"]) }.joined(separator: ".") }
    var entries: [Policy.HostEntry] = []
    for _ in 0..<random.below(30) {
      let entry = try Handmade.entry(
        name(), port: random.pick([nil, nil, 443, 8_443, 65_535]), subdomains: random.once(in: 2), mode: .off)
      if !entries.contains(where: { $0.label == entry.label }) { entries.append(entry) }
    }
    try expectAllAgree(entries, on: (0..<30).map { _ in name() }, ports: [443, 8_443, 65_535, 1])
  }

  /// The definition: of all entries that match, the one of the longest host; of two for one host, the one for the port.
  private static func governing(_ host: String, port: UInt16?, _ entries: [Manifest.HostEntry]) -> String? {
    let matching = entries.filter { entry in
      guard entry.port == nil || entry.port == port else { return false }
      return entry.host.text == host || entry.includeSubdomains && host.hasSuffix("." + entry.host.text)
    }
    func weight(_ entry: Manifest.HostEntry) -> Int { entry.host.text.utf8.count * 2 + (entry.port == nil ? 0 : 1) }
    return matching.max { weight($0) < weight($1) }?.label
  }

  private func expectAllAgree(_ entries: [Policy.HostEntry], on questions: [String], ports: [UInt16]) throws {
    let manifest = try Handmade.manifest(of: entries)
    let bytes = manifest.signedBytes()
    let tables = try ManifestReader.read(bytes, signed: bytes.indices)
    let hosts = ManifestHosts(manifest)
    func what(_ question: String, _ port: UInt16?) -> Comment {
      "\(question):\(port.map(String.init) ?? "any") of \(entries.map(\.label).joined(separator: " "))"
    }
    let index = HostIndex(entries)
    for question in questions {
      let host = try HostName(canonicalising: question)
      for port in ports.map(Optional.some) + [nil] {
        let expected = Self.governing(question, port: port, manifest.hosts)
        #expect(hosts.governing(host, port: port)?.label == expected, what(question, port))
        let found = index.governing(host, port: port)
        #expect(found.map { entries[$0].label } == expected, what(question, port))
        // Clients always ask for a port.
        guard let port else { continue }
        let chosen = try tables.entry(for: question.utf8Span.span, port: port)
        #expect(chosen.map { tables.label(ofEntry: $0) } == expected, what(question, port))
      }
    }
  }
}
