import PinFormat
import PinRotation
import Testing

@Suite("Changed keys")
struct KeysChangeTests {
  private typealias Small = SmallManifest

  /// What changes for one host where its key set, and the keys in it, do.
  private func change(
    from keys: [Manifest.Key], _ set: Manifest.KeySet, to newKeys: [Manifest.Key], _ newSet: Manifest.KeySet,
    mode: Mode = .enforce
  ) throws -> (keys: KeysChange?, risk: ChangeRisk?) {
    let changes = ManifestChanges(
      from: Small.manifest(
        [try Small.entry("a.example.com", mode: mode, keySet: set.name)], keys: keys, keySets: [set]),
      to: Small.manifest(
        [try Small.entry("a.example.com", mode: mode, keySet: newSet.name)], keys: newKeys, keySets: [newSet]))
    guard let host = changes.hosts.first else { return (nil, nil) }
    guard case .changed(let fields) = host.kind, case .keys(let keys)? = fields.first?.field else {
      Issue.record("there is more than keys")
      return (nil, nil)
    }
    return (keys, host.risk)
  }

  private let web = Manifest.KeySet(name: "web", active: ["a"], backup: ["b"])

  @Test("aren't there if only names of keys and sets differ")
  func renamed() throws {
    let found = try change(
      from: [Small.key("a", 1, at: .root), Small.key("b", 2)], web,
      to: [Small.key("x", 1, at: .root), Small.key("y", 2)],
      Manifest.KeySet(name: "other", active: ["x"], backup: ["y"]))
    #expect(found.keys == nil)
  }

  @Test("may keep nobody out where one is added")
  func added() throws {
    let found = try change(
      from: [Small.key("a", 1), Small.key("b", 2)], web,
      to: [Small.key("a", 1), Small.key("b", 2), Small.key("c", 3)],
      Manifest.KeySet(name: "web", active: ["a"], backup: ["b", "c"]))
    #expect(found.keys == KeysChange(added: [Small.key("c", 3)]))
    #expect(found.risk == ChangeRisk.none)
  }

  @Test("may keep clients out where one goes", arguments: [(Mode.enforce, ChangeRisk.mayBlock), (.reportOnly, .none)])
  func removed(mode: Mode, risk: ChangeRisk) throws {
    let found = try change(
      from: [Small.key("a", 1), Small.key("b", 2)], web, to: [Small.key("a", 1)],
      Manifest.KeySet(name: "web", active: ["a"], backup: []), mode: mode)
    #expect(found.keys == KeysChange(removed: [Small.key("b", 2)]))
    #expect(found.risk == risk)
  }

  @Test("are another key under the old name, not the old one")
  func sameName() throws {
    let found = try change(
      from: [Small.key("a", 1), Small.key("b", 2)], web, to: [Small.key("a", 7), Small.key("b", 2)], web)
    #expect(found.keys == KeysChange(added: [Small.key("a", 7)], removed: [Small.key("a", 1)]))
    #expect(found.risk == .mayBlock)
  }

  @Test(
    "may keep clients out where one must stand elsewhere",
    arguments: [
      (ChainPosition?.none, ChainPosition?.some(.root), ChangeRisk.mayBlock), (.root, .none, .none),
      (.leaf, .root, .mayBlock),
    ])
  func repositioned(before: ChainPosition?, after: ChainPosition?, risk: ChangeRisk) throws {
    let found = try change(
      from: [Small.key("a", 1, at: before), Small.key("b", 2)], web,
      to: [Small.key("a", 1, at: after), Small.key("b", 2)], web)
    #expect(found.keys == KeysChange(repositioned: [Small.key("a", 1, at: after)]))
    #expect(found.risk == risk)
  }

  @Test("tell a backup that is in use now from an active key that is a backup")
  func swapped() throws {
    let keys = [Small.key("a", 1), Small.key("b", 2)]
    let found = try change(
      from: keys, web, to: keys, Manifest.KeySet(name: "web", active: ["b"], backup: ["a"]))
    #expect(found.keys == KeysChange(activated: [Small.key("b", 2)], retired: [Small.key("a", 1)]))
    #expect(found.risk == ChangeRisk.none)
  }

  @Test("are one key where a set names one pin twice")
  func twice() throws {
    let found = try change(
      from: [Small.key("a", 1), Small.key("b", 2)], web,
      to: [Small.key("a", 1), Small.key("b", 2), Small.key("c", 1, at: .root)],
      Manifest.KeySet(name: "web", active: ["a"], backup: ["b", "c"]))
    #expect(found.keys == nil)
  }

  @Test("of ten thousand hosts are compared once for each pair of sets", .timeLimit(.minutes(1)))
  func many() throws {
    let hosts = try (0..<10_000).map { try Small.entry("h\($0).example.com") }
    let set = Manifest.KeySet(name: "web", active: ["a"], backup: ["c"])
    let changes = ManifestChanges(
      from: Small.manifest(hosts),
      to: Small.manifest(hosts, keys: [Small.key("a", 1), Small.key("c", 3)], keySets: [set]))
    #expect(changes.hosts.count == 10_000)
    #expect(Set(changes.hosts.map(\.kind)).count == 1)
  }
}
