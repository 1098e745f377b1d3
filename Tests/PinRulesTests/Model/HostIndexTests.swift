import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import TestSupport
import Testing

@Suite("Which entry applies")
struct HostIndexTests {
  struct Question: Sendable, CustomTestStringConvertible {
    var host: String
    var port: UInt16?
    /// The label of the entry that governs.
    var entry: String?

    var testDescription: String { "\(host):\(port.map(String.init) ?? "any") -> \(entry ?? "none")" }
  }

  @Test(
    arguments: [
      Question(host: "example.com", port: 443, entry: "example.com"),
      Question(host: "example.com", port: 8443, entry: "example.com:8443"),
      Question(host: "notexample.com", port: 443, entry: nil),
      Question(host: "com", port: 443, entry: nil),
      Question(host: "a.example.com", port: 443, entry: "a.example.com"),
      Question(host: "b.a.example.com", port: 443, entry: "example.com"),
      Question(host: "b.a.example.com", port: 9443, entry: "example.com:9443"),
      Question(host: "x.example.com", port: 8443, entry: "example.com"),
      Question(host: "x.example.com", port: nil, entry: "example.com"),
      Question(host: "legacy.example.com", port: 9443, entry: "legacy.example.com"),
      Question(host: "x.legacy.example.com", port: 9443, entry: "legacy.example.com"),
      Question(host: "only.example.org", port: 443, entry: nil),
      Question(host: "only.example.org", port: 853, entry: "only.example.org:853"),
      Question(host: "10.0.0.5", port: 443, entry: "10.0.0.5"),
      Question(host: "10.0.0.6", port: 443, entry: nil),
    ])
  func governing(_ question: Question) throws {
    let entries = [
      try Handmade.entry("10.0.0.5"),
      try Handmade.entry("0.0.5.example", subdomains: true),
      try Handmade.entry("a.example.com"),
      try Handmade.entry("example.com", subdomains: true),
      try Handmade.entry("example.com", port: 8443),
      try Handmade.entry("example.com", port: 9443, subdomains: true),
      try Handmade.entry("legacy.example.com", subdomains: true, mode: .off),
      try Handmade.entry("only.example.org", port: 853),
    ]
    let host = try HostName(canonicalising: question.host)
    let found = HostIndex(entries).governing(host, port: question.port)
    #expect(found.map { entries[$0].label } == question.entry)
  }

  /// The entries reported as fallbacks of an entry are those that govern once it is removed.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func fallbacksAreWhatIsLeft(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = Self.names
    let entries = try Self.entries(from: &random)
    let index = HostIndex(entries)
    for removed in entries.indices {
      var rest = entries
      rest.remove(at: removed)
      let without = HostIndex(rest)
      let fallbacks = try #require(index.fallbacks(without: removed))
      for name in names + names.map({ "deep." + $0 }) {
        for port: UInt16 in [443, 8443, 5061] {
          let host = try HostName(canonicalising: name)
          guard index.governing(host, port: port) == removed else { continue }
          let parts = fallbacks.filter { $0.isBelow == (host != entries[removed].host) }
          let part = try #require(parts.first { $0.port == port } ?? parts.first { $0.port == nil })
          #expect(
            part.entry.map { entries[$0].label } == without.governing(host, port: port).map { rest[$0].label },
            "\(name):\(port) without \(entries[removed].label)")
        }
      }
    }
  }

  /// Port by port, what a thousand entries leave to each of a thousand others is more than anybody would read.
  @Test func tooManyPortsAreNotTakenApart() throws {
    let ports = try (1...101).map { try Handmade.entry("example.com", port: UInt16($0), subdomains: true) }
    let below = try Handmade.entry("api.example.com")
    #expect(HostIndex(ports.dropLast() + [below]).fallbacks(without: 100)?.count == 101)
    #expect(HostIndex(ports + [below]).fallbacks(without: 101) == nil)
  }

  /// A few entries of different hosts or ports.
  private static func entries(from random: inout SeededGenerator) throws -> [Policy.HostEntry] {
    var entries: [Policy.HostEntry] = []
    for _ in 0..<(2 + random.below(5)) {
      let port: UInt16? = random.pick([nil, nil, 443, 8443])
      let entry = try Handmade.entry(random.pick(names), port: port, subdomains: !random.once(in: 3), mode: .off)
      if !entries.contains(where: { $0.label == entry.label }) { entries.append(entry) }
    }
    return entries
  }

  private static let names = [
    "x", "a.x", "b.x", "a.a.x", "b.a.x", "a.b.x", "a.a.a.x", "b.b.a.x",
  ]
}
