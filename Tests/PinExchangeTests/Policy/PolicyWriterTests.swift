import Diagnostics
import Foundation
import PinExchange
import PinFormat
import PinPolicy
import TestSupport
import Testing

struct PolicyWriterTests {
  /// What an entry of a policy comes to, without names.
  private struct Entry: Hashable {
    var label: String
    var subdomains: Bool
    var mode: Mode
    var active: Set<String>
    var backup: Set<String>
    var requirement: Requirement
    var expires: Instant?
    var onExpiry: ExpiryAction?
    var reportURIs: [String]
  }

  /// A policy reads back as the draft that was written, whatever the list.
  @Test(arguments: 0..<80)
  func whatIsWrittenReadsBack(seed: Int) throws {
    let draft = ImportScene.draft(ImportedPins(try Self.list(seed)))
    let text = PolicyWriter.write(draft)
    let (policy, findings) = try ImportScene.check(text)
    #expect(Self.entries(of: policy) == Self.entries(of: draft.list), "\(String(decoding: text.bytes, as: UTF8.self))")
    // The command accepts findings that can't be fixed here; there are no others.
    let acceptable: Set = ["P204", "P312", "P313", "P314", "P324", "P327", "P336"]
    #expect(findings.filter { $0.severity == .error && !acceptable.contains($0.code) } == [])
    let denied = policy.keys.filter { $0.denied != nil }.compactMap(\.pin)
    #expect(Set(denied) == Set(draft.list.deniedKeys.map(\.pin)))
    // The same list gives the same text.
    #expect(PolicyWriter.write(ImportScene.draft(ImportedPins(try Self.list(seed)))).bytes == text.bytes)
  }

  /// No host is pinned less strictly than in the list.
  @Test(arguments: 0..<80)
  func nothingBecomesWeaker(seed: Int) throws {
    let list = try Self.list(seed)
    let draft = ImportScene.draft(ImportedPins(list))
    for host in list.hosts where host.mode != .off {
      let written = try #require(draft.list.hosts.first { $0.label == host.label })
      let pins = Set(list.keys(of: host).map(\.pin))
      #expect(Set(draft.list.keys(of: written).map(\.pin)).isSubset(of: pins))
      #expect(host.subdomains == .none || host.host.isAddress || written.subdomains == .all)
      let hasExpired = host.expires.map { $0 <= PinListScene.instant } == true
      #expect(written.mode == host.mode || hasExpired)
    }
  }

  /// Of two entries for a host the one that holds longer counts, and both requirements.
  @Test(arguments: [false, true]) func twoEntriesOfAHostLoseNoneOfTheirStrength(isReversed: Bool) throws {
    var list = PinList()
    list.keys = [try PinListScene.key(0, at: .leaf), try PinListScene.key(1)]
    list.keySets = [PinList.KeySet(name: nil, active: [0, 1])]
    let first = try PinListScene.host("api.example.com")
    var second = first
    (second.expires, second.onExpiry) = (PinListScene.instant.adding(seconds: 86_400), .unpinned)
    second.requirement = .leafAndCA
    list.hosts = isReversed ? [second, first] : [first, second]
    let merged = try #require(ImportScene.draft(ImportedPins(list)).list.hosts.first)
    #expect(merged.requirement == .leafAndCA)
    #expect(merged.onExpiry == .enforce)
  }

  @Test func aPersonCouldHaveWrittenIt() throws {
    var list = try PinListScene.small()
    list.keys[3].denied = "found in a bucket: \"pins\""
    list.keySets[1] = PinList.KeySet(name: nil, active: [1])
    list.hosts[0].subdomains = .direct
    list.hosts[1].port = 8443
    list.hosts[1].mode = .reportOnly
    list.hosts[1].reportURIs = ["https://pins.example.org/reports", "http://pins.example.org/reports"]
    list.hosts[2].expires = PinListScene.instant.adding(seconds: -86_400)
    list.hosts[2].onExpiry = .unpinned
    list.hosts.append(try PinListScene.host("2mdn.example", .all))
    list.hosts.append(try PinListScene.host("2001:db8::1"))
    var imported = ImportedPins(list)
    let place = Place(file: FileID(0), start: Position(line: 12, column: 3), end: Position(line: 12, column: 9))
    imported.places.hosts["api.example.com"] = place
    imported.places.keys["key-0"] = place
    imported.places.keySets["public-web"] = place
    let draft = ImportScene.draft(imported)
    try GoldenFile.expect(PolicyWriter.write(draft).bytes, "policy/imported.yaml")
    try GoldenFile.expect(
      Array((ImportScene.shown(draft.findings).joined(separator: "\n") + "\n").utf8), "policy/findings.txt")
  }

  /// A name that isn't one for a policy, twice; keys of one pin; a set that nobody uses.
  @Test func namesAreMadeUniqueAndKeysShared() throws {
    var list = PinList()
    list.keys = [
      PinList.Key(name: "GTS Root R1", pin: try PinListScene.pin(1)),
      PinList.Key(name: "gts-root-r1", pin: try PinListScene.pin(2)),
      PinList.Key(name: "again", pin: try PinListScene.pin(1)),
      PinList.Key(name: "unused", pin: try PinListScene.pin(3)),
    ]
    list.keySets = [
      PinList.KeySet(name: "A", active: [0, 1]), PinList.KeySet(name: "B", active: [2, 1]),
      PinList.KeySet(name: "C", active: [3]),
    ]
    list.hosts = [try PinListScene.host("a.example.com"), try PinListScene.host("b.example.com", keySet: 1)]
    let draft = ImportScene.draft(ImportedPins(list))
    #expect(draft.list.keys.map(\.name) == ["gts-root-r1", "gts-root-r1-2"])
    #expect(draft.list.keySets.map(\.name) == ["a"])
    #expect(draft.list.hosts.map(\.keySet) == [0, 0])
  }

  @Test(
    arguments: [
      ("GTSRootR1", "gts-root-r1"), ("Baltimore CyberTrust Root", "baltimore-cyber-trust-root"), ("TRUE", "true-key"),
      ("api.example.com-1", "api.example.com-1"), ("GlobalSignR4_owned_by_Google", "global-sign-r4_owned_by_google"),
      ("---", nil), ("Zürich", "z-rich"), (String(repeating: "x", count: 80), String(repeating: "x", count: 64)),
    ] as [(String, String?)])
  func namesForAPolicy(text: String, name: String?) {
    #expect(PolicyName.of(text) == name)
  }

  /// A list as an importer may answer it: what a policy has no words for as well.
  private static func list(_ seed: Int) throws -> PinList {
    var list = try PinListScene.random(seed)
    var generator = SeededGenerator(seed: UInt64(seed) &+ 77)
    for number in list.hosts.indices {
      if !list.hosts[number].host.isAddress, generator.once(in: 4) { list.hosts[number].subdomains = .direct }
      if generator.once(in: 5) { list.hosts[number].requirement = .leafAndCA }
      // Characters with a meaning in YAML, in the middle and at the end.
      if generator.once(in: 4) {
        let endings = [":", "?a=1;:", "a,b", "?x=:,y", "'q'", "&b", "*", "~", "!", "a\\u0000"]
        list.hosts[number].reportURIs = (0..<2).map { _ in "https://reports.example.org/" + generator.pick(endings) }
      }
      if generator.once(in: 8) {
        list.hosts[number].expires = PinListScene.instant.adding(seconds: -Int64(generator.below(1_000)))
        list.hosts[number].onExpiry = generator.pick(ExpiryAction.allCases)
      }
    }
    for number in list.keys.indices where generator.once(in: 6) {
      list.keys[number].position = generator.pick(KeyPosition.allCases)
    }
    for number in list.keySets.indices where generator.once(in: 3) { list.keySets[number].name = nil }
    if generator.once(in: 3) {
      list.keys.append(
        PinList.Key(name: "leaked: key", pin: try PinListScene.pin(9_000 + seed), denied: "null # \"quoted\" \\ text"))
    }
    list.hosts.append(
      PinList.Host(
        host: try HostName(canonicalising: "off.h0.example.com"), subdomains: .all, mode: .off, keySet: nil))
    return list
  }

  private static func entries(of list: PinList) -> Set<Entry> {
    Set(
      list.hosts.map { host in
        let set = host.keySet.map { list.keySets[$0] }
        return Entry(
          label: host.label, subdomains: host.subdomains == .all, mode: host.mode,
          active: Set((set?.active ?? []).map { shown(list.keys[$0].pin, list.keys[$0].position) }),
          backup: Set((set?.backup ?? []).map { shown(list.keys[$0].pin, list.keys[$0].position) }),
          requirement: host.mode == .off ? .any : host.requirement, expires: host.mode == .off ? nil : host.expires,
          onExpiry: host.mode == .off ? nil : host.onExpiry, reportURIs: host.mode == .off ? [] : host.reportURIs)
      })
  }

  private static func entries(of policy: Policy) -> Set<Entry> {
    Set(
      policy.hosts.map { host in
        let isOff = host.mode.value == .off
        let set = isOff ? nil : host.keySet.map { policy.keySets[$0.value] }
        let pins = { (members: [Policy.KeySet.Member]) in
          Set(members.map { shown(policy.keys[$0.key].pin, policy.keys[$0.key].position?.value) })
        }
        return Entry(
          label: host.label, subdomains: host.coversSubdomains, mode: host.mode.value, active: pins(set?.active ?? []),
          backup: pins(set?.backup ?? []), requirement: isOff ? .any : host.requirement?.value ?? .any,
          expires: isOff ? nil : host.expires?.value, onExpiry: isOff ? nil : host.onExpiry?.value,
          reportURIs: isOff ? [] : host.reportURIs.map(\.value))
      })
  }

  private static func shown(_ pin: Pin?, _ position: KeyPosition?) -> String {
    "\(pin.map { "\($0)" } ?? "none") \(position.map(\.rawValue) ?? "anywhere")"
  }
}
