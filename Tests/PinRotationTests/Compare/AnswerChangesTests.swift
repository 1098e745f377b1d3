import PinFormat
import PinRotation
import TestSupport
import Testing

/// Which entries' owners a release concerns: those of every entry whose hosts get another answer, and nobody else.
@Suite("Entries that answer differently")
struct AnswerChangesTests {
  private typealias Small = SmallManifest

  /// What a client does at one place and time, as far as two releases can differ in it.
  private struct Answer: Hashable {
    var isUnpinned = false
    /// Counted as an event, whatever the action is.
    var entryExpired = false
    /// What happens to a host that isn't pinned.
    var unpinned: UnpinnedHosts?
    var action: ExpiryAction?
    var mode: Mode?
    /// The keys that match: pin, position, and whether as a backup.
    var keys: Set<[String]> = []
    var trust: Manifest.Trust?
    var reports: [String] = []
    var denied: Set<Pin> = []
  }

  /// A name and port that clients may connect to.
  private struct Place: Hashable {
    var name: String
    var port: UInt16
  }

  /// The entry that governs, found by trying each: the nearest name, and of two for it the one with the port.
  private static func governing(_ place: Place, in manifest: Manifest) -> Manifest.HostEntry? {
    let labels = place.name.split(separator: ".")
    for depth in labels.indices {
      let name = labels[depth...].joined(separator: ".")
      let fitting = manifest.hosts.filter {
        $0.host.text == name && (depth == 0 || $0.includeSubdomains) && ($0.port ?? place.port) == place.port
      }
      if let entry = fitting.first(where: { $0.port != nil }) ?? fitting.first { return entry }
    }
    return nil
  }

  private static func answer(
    _ entry: Manifest.HostEntry?, by manifest: Manifest, entryExpired: Bool, manifestExpired: Bool
  ) -> Answer {
    guard let entry, entry.mode != .off else { return Answer(isUnpinned: true, unpinned: manifest.unpinnedHosts) }
    var action = ExpiryAction.enforce
    let entryExpired = entryExpired && entry.expires != nil
    if entryExpired { action = entry.onExpiry ?? .enforce }
    let order: [ExpiryAction] = [.enforce, .reportOnly, .unpinned, .block]
    func rank(_ action: ExpiryAction) -> Int { order.firstIndex(of: action) ?? 0 }
    if manifestExpired, rank(manifest.onStale) > rank(action) { action = manifest.onStale }
    if action == .unpinned {
      return Answer(isUnpinned: true, entryExpired: entryExpired, unpinned: manifest.unpinnedHosts)
    }
    if action == .block { return Answer(entryExpired: entryExpired, action: .block) }
    let reportsOnly = action == .reportOnly || entry.mode == .reportOnly
    let set = manifest.keySets.first { $0.name == entry.keySet }
    var keys: Set<[String]> = []
    for (names, role) in [(set?.active ?? [], "active"), (set?.backup ?? [], "backup")] {
      for name in names {
        guard let key = manifest.keys.first(where: { $0.name == name }) else { continue }
        keys.insert([key.pin.digest.hex, key.position?.rawValue ?? "any", role])
      }
    }
    return Answer(
      entryExpired: entryExpired, action: action, mode: reportsOnly ? .reportOnly : .enforce, keys: keys,
      trust: entry.trust,
      reports: entry.reportURIs, denied: Set(manifest.keys.filter { $0.denied != nil }.map(\.pin)))
  }

  // MARK: Random releases

  private static let names = ["a.test", "b.a.test", "c.b.a.test", "d.test"]

  private static func entry(_ random: inout SeededGenerator) throws -> Manifest.HostEntry {
    let mode = [Mode.enforce, .enforce, .reportOnly, .off].randomElement(using: &random) ?? .enforce
    let expires = mode == .off ? nil : ["2026-11-20", nil].randomElement(using: &random) ?? nil
    return try Small.entry(
      names.randomElement(using: &random) ?? "a.test", port: [nil, nil, 8443].randomElement(using: &random) ?? nil,
      subdomains: Bool.random(using: &random), mode: mode,
      keySet: Bool.random(using: &random) ? "web" : "other",
      expires: expires, onExpiry: ExpiryAction.allCases.randomElement(using: &random),
      reports: mode == .off || Bool.random(using: &random)
        ? [] : ["https://r.test/\(Int.random(in: 0..<2, using: &random))"])
  }

  private static func release(_ random: inout SeededGenerator) throws -> Manifest {
    var hosts: [Manifest.HostEntry] = []
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let entry = try entry(&random)
      if !hosts.contains(where: { $0.host == entry.host && $0.port == entry.port }) { hosts.append(entry) }
    }
    return Small.manifest(
      hosts, keys: [Small.key("a", 1), Small.key("b", 2), Small.key("c", 3)],
      keySets: [
        Manifest.KeySet(name: "other", active: ["c"], backup: ["b"]),
        Manifest.KeySet(name: "web", active: ["a"], backup: ["b"]),
      ])
  }

  /// One to three changes anywhere.
  private static func edited(_ before: Manifest, _ random: inout SeededGenerator) throws -> Manifest {
    var after = before
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0: after.onStale = ExpiryAction.allCases.randomElement(using: &random) ?? .enforce
      case 1: after.unpinnedHosts = .deny
      case 2: after.keys[Int.random(in: 0..<3, using: &random)].denied = "lost"
      case 3: after.keySets[0].active = ["a"]
      case 4: after.keys[2].position = .leaf
      case 5 where !after.hosts.isEmpty: after.hosts.remove(at: Int.random(in: after.hosts.indices, using: &random))
      case 6 where !after.hosts.isEmpty:
        let number = Int.random(in: after.hosts.indices, using: &random)
        after.hosts[number].includeSubdomains.toggle()
      default:
        let entry = try entry(&random)
        after.hosts.removeAll { $0.host == entry.host && $0.port == entry.port }
        after.hosts.append(entry)
      }
    }
    return after
  }

  /// The labels of the entries whose hosts get another answer somewhere at some time, by trying every place and time.
  private static func expected(_ before: Manifest, _ after: Manifest) -> [Set<String>] {
    var labels: [Set<String>] = [[], []]
    for name in names.flatMap({ [$0, "x." + $0] }) {
      for port in [UInt16(443), 8443] {
        let place = Place(name: name, port: port)
        let entries = [governing(place, in: before), governing(place, in: after)]
        let differ = [(false, false), (false, true), (true, false), (true, true)].contains { expired in
          answer(entries[0], by: before, entryExpired: expired.0, manifestExpired: expired.1)
            != answer(entries[1], by: after, entryExpired: expired.0, manifestExpired: expired.1)
        }
        guard differ else { continue }
        for (side, entry) in entries.enumerated() {
          if let entry { labels[side].insert(HostLabel.text(host: entry.host, port: entry.port)) }
        }
      }
    }
    return labels
  }

  /// A release in short, for a failure.
  private static func words(_ manifest: Manifest) -> String {
    let hosts = manifest.hosts.map { entry in
      let port = entry.port.map { ":\($0)" } ?? ""
      return "\(entry.includeSubdomains ? "*." : "")\(entry.host.text)\(port) \(entry.mode) \(entry.keySet ?? "-") "
        + "\(entry.expires == nil ? "" : "\(entry.onExpiry ?? .enforce)") \(entry.reportURIs.joined())"
    }
    return "\(manifest.onStale) \(manifest.unpinnedHosts) \(manifest.keys.map { "\($0.denied ?? "")" }) \(hosts)"
  }

  @Test("are those at which trying every place and time finds another answer", arguments: 0..<8)
  func everyPlaceAndTime(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 49)
    var (changed, alike) = (0, 0)
    for _ in 0..<500 {
      let before = try Self.release(&random)
      let after = try Self.edited(before, &random)
      let expected = Self.expected(before, after)
      let found = AnswerChanges(from: before, to: after)
      let sides = [Set(found.before.keys), Set(found.after.keys)]
      #expect(
        expected[0].isSubset(of: sides[0]) && expected[1].isSubset(of: sides[1]),
        "\(Self.words(before)) -> \(Self.words(after))")
      if expected.allSatisfy(\.isEmpty) { alike += 1 } else { changed += 1 }
      let surplus = sides[0].subtracting(expected[0]).union(sides[1].subtracting(expected[1]))
      #expect(surplus.isEmpty, "\(surplus): \(Self.words(before)) -> \(Self.words(after))")
    }
    #expect(changed > 50 && alike > 10, "\(changed) changed, \(alike) alike")
  }

  @Test("nothing, of a release with another serial, date and provenance alone")
  func renewal() throws {
    let before = Small.manifest([try Small.entry("a.test")])
    var after = before
    after.serial += 1
    after.issued = after.issued.adding(seconds: 60)
    after.refreshAfter = after.refreshAfter.adding(seconds: 60)
    after.expires = after.expires.adding(seconds: 60)
    let found = AnswerChanges(from: before, to: after)
    #expect(found.before.isEmpty && found.after.isEmpty)
  }
}
