import PinFormat
import PinRotation
import Testing

@Suite("Added and removed host entries")
struct HostChangeTests {
  private typealias Small = SmallManifest

  private func changes(
    from before: [Manifest.HostEntry], to after: [Manifest.HostEntry], unpinned: UnpinnedHosts = .allow
  ) -> [HostChange] {
    let keys = [Small.key("a", 1), Small.key("b", 2), Small.key("c", 3)]
    let sets = [
      Manifest.KeySet(name: "web", active: ["a"], backup: ["b"]),
      Manifest.KeySet(name: "other", active: ["c"], backup: ["b"]),
    ]
    return ManifestChanges(
      from: Small.manifest(before, keys: keys, keySets: sets, unpinnedHosts: unpinned),
      to: Small.manifest(after, keys: keys, keySets: sets, unpinnedHosts: unpinned)
    ).hosts
  }

  struct Row: CustomTestStringConvertible {
    var testDescription: String
    var before: [Manifest.HostEntry]
    var after: [Manifest.HostEntry]
    var unpinned = UnpinnedHosts.allow
    var risk: ChangeRisk
    /// The labels of the entries that govern in its place.
    var others: [String] = []
  }

  static func rows() throws -> [Row] {
    let parent = try Small.entry("example.com", subdomains: true)
    let alone = try Small.entry("example.com")
    let child = try Small.entry("a.example.com")
    let off = try Small.entry("a.example.com", mode: .off)
    let other = try Small.entry("a.example.com", keySet: "other")
    let report = try Small.entry("a.example.com", mode: .reportOnly)
    let parentAtPort = try Small.entry("example.com", port: 8443, subdomains: true)
    let address = try Small.entry("10.0.0.5")
    return [
      Row(testDescription: "newly pinned", before: [alone], after: [child, alone], risk: .mayBlock),
      Row(testDescription: "newly on trial", before: [alone], after: [report, alone], risk: .none),
      Row(
        testDescription: "newly pinned where others are denied", before: [alone], after: [child, alone],
        unpinned: .deny, risk: .weakens),
      Row(testDescription: "unpinned", before: [child, alone], after: [alone], risk: .weakens),
      Row(
        testDescription: "denied from now on", before: [child, alone], after: [alone], unpinned: .deny, risk: .mayBlock),
      Row(testDescription: "taken out of nothing", before: [alone], after: [off, alone], risk: .none),
      Row(
        testDescription: "taken out", before: [parent], after: [off, parent], risk: .weakens, others: ["example.com"]),
      Row(
        testDescription: "put back in", before: [off, parent], after: [parent], risk: .mayBlock,
        others: ["example.com"]),
      Row(
        testDescription: "the same as before, by an entry of its own", before: [parent], after: [child, parent],
        risk: .none, others: ["example.com"]),
      Row(
        testDescription: "other keys than before", before: [parent], after: [other, parent], risk: .mayBlock,
        others: ["example.com"]),
      Row(
        testDescription: "only reported from now on", before: [parent], after: [report, parent], risk: .weakens,
        others: ["example.com"]),
      Row(
        testDescription: "enforced again by the entry above", before: [report, parent], after: [parent],
        risk: .mayBlock, others: ["example.com"]),
      Row(
        testDescription: "taken out at one port of an entry above", before: [parentAtPort],
        after: [off, parentAtPort], risk: .weakens, others: ["example.com:8443"]),
      Row(
        testDescription: "an address has nothing above it", before: [parent], after: [address, parent], risk: .mayBlock),
    ]
  }

  @Test("have their risk, and name what else governs the host", arguments: try rows())
  func risk(row: Row) throws {
    let changes = changes(from: row.before, to: row.after, unpinned: row.unpinned)
    let change = try #require(changes.first)
    #expect(changes.count == 1)
    #expect(change.risk == row.risk)
    #expect(change.others.map(\.label) == row.others)
  }

  @Test("say what differs from the entry that governed before")
  func others() throws {
    let parent = try Small.entry("example.com", subdomains: true)
    let changes = changes(
      from: [parent], to: [try Small.entry("a.example.com", keySet: "other"), parent])
    guard case .keys(let keys)? = changes.first?.others.first?.changes.first?.field else {
      Issue.record("the keys differ")
      return
    }
    #expect(keys == KeysChange(added: [Small.key("c", 3)], removed: [Small.key("a", 1)]))
  }

  @Test("come riskiest first, then by host and port")
  func order() throws {
    let before = [
      try Small.entry("b.example.com"), try Small.entry("b.example.com", port: 8443), try Small.entry("d.example.com"),
    ]
    let after = [try Small.entry("a.example.com"), try Small.entry("d.example.com", reports: ["https://r.example/"])]
    #expect(
      changes(from: before, to: after).map(\.label) == [
        "b.example.com", "b.example.com:8443", "a.example.com", "d.example.com",
      ])
  }

  @Test("count with what they leave: an entry that covers subdomains and no longer does, under another that does")
  func subdomainsBelowAnother() throws {
    let above = try Small.entry("example.com", subdomains: true)
    let changes = changes(
      from: [try Small.entry("a.example.com", subdomains: true), above], to: [try Small.entry("a.example.com"), above])
    #expect(changes.map(\.risk) == [ChangeRisk.none])
  }
}
