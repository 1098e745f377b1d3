import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import Testing

struct ChromiumTests {
  static let list = "chromium/transport_security_state_static_pins.json"
  static let hsts = "chromium/transport_security_state_static.json"
  static let keys = "chromium/transport_security_state_static.pins"

  @Test func theListIsReadWithWhatIsWrongInIt() throws {
    let imported = try ImportScene.read(.chromium, [Self.hsts, Self.list, Self.keys])
    let draft = ImportScene.draft(imported, files: ["hsts.json", "pins.json", "list.pins"])
    try GoldenFile.expect(PolicyWriter.write(draft).bytes, "chromium/imported.yaml")
    try GoldenFile.expect(
      Array((ImportScene.shown(draft.findings).joined(separator: "\n") + "\n").utf8), "chromium/findings.txt")
    let (_, findings) = try ImportScene.check(PolicyWriter.write(draft))
    #expect(Set(findings.filter { $0.severity == .error }.map(\.code)) == ["P204", "P313", "P314"])
  }

  /// The order of the files says nothing.
  @Test func filesAreToldApartByWhatTheyHold() throws {
    let one = try ImportScene.read(.chromium, [Self.keys, Self.list]).list
    let other = try ImportScene.read(.chromium, [Self.list, Self.keys]).list
    #expect(PinListMeaning(one) == PinListMeaning(other))
    #expect(throws: ExchangeError.self) { try ImportScene.read(.chromium, [Self.list, Self.hsts]) }
    #expect(throws: ExchangeError.self) { try ImportScene.read(.chromium, [Self.keys, Self.keys]) }
  }

  /// Until 2022, one JSON file had both, and `include_subdomains_for_pinning`.
  @Test func theOlderFileIsReadToo() throws {
    let json = """
      { "pinsets": [ { "name": "a", "static_spki_hashes": ["One", "Two"] } ],
        "entries": [
          { "name": "a.example.com", "mode": "force-https", "include_subdomains_for_pinning": true, "pins": "a" },
          { "name": "b.example.com", "mode": "force-https", "include_subdomains": true, "pins": "a" },
          { "name": "c.example.com", "pins": "a" } ] }
      """
    let pins = "PinsListTimestamp\n1795219200\nOne\n\(try PinListScene.pin(1))\nTwo\n\(try PinListScene.pin(2))\n"
    let read = try ImportFormat.chromium.read(
      [ExchangedFile(name: "a.json", bytes: Array(json.utf8)), ExchangedFile(name: "a.pins", bytes: Array(pins.utf8))],
      ImportSettings(at: PinListScene.instant))
    #expect(read.list.hosts.map(\.subdomains) == [.all, .all, .none])
    #expect(read.list.hosts.map(\.onExpiry) == [.unpinned, .unpinned, .unpinned])
    #expect(read.list.hosts[0].expires == PinListScene.instant.adding(seconds: 70 * 86_400))
    #expect(read.findings.map(\.kind) == [.otherSetting])
  }

  @Test func bothFilesAreWrittenAsThereAre() throws {
    var list = try PinListScene.small(.certificateAuthority)
    list.keys.append(PinList.Key(name: "2-leaked", pin: try PinListScene.pin(40), denied: "lost"))
    for file in try ExportFormat.chromium.files(of: list) {
      try GoldenFile.expect(file.bytes, "chromium/exported/\(file.name)")
    }
  }

  /// Everything but the expiry, which is the list's own.
  @Test(arguments: 0..<40)
  func whatIsWrittenReadsBack(seed: Int) throws {
    var list = try PinListScene.random(seed)
    for number in list.hosts.indices { list.hosts[number].port = nil }
    list.hosts = list.hosts.filter { !$0.host.isAddress }
    guard !list.hosts.isEmpty else { return }
    list.keys.append(PinList.Key(name: "leaked", pin: try PinListScene.pin(9_999), denied: "lost"))
    let fitted = try ExportFormat.chromium.fitted(list)
    let files = try ExportFormat.chromium.write(fitted, ExportSettings(at: PinListScene.instant))
    let read = try ImportFormat.chromium.read(files, ImportSettings(at: PinListScene.instant))
    #expect(read.findings == [])
    func forget(_ host: inout PinList.Host) { (host.expires, host.onExpiry) = (nil, nil) }
    #expect(PinListMeaning(read.list, adjusting: forget) == PinListMeaning(fitted.list, adjusting: forget))
    #expect(read.list.deniedKeys.map(\.pin) == fitted.list.deniedKeys.map(\.pin))
  }

  /// Chromium's generator refuses two names for one hash, and names that aren't of its form.
  @Test func keysWithOnePinHaveOneName() throws {
    var list = PinList()
    let pin = try PinListScene.pin(1)
    list.keys = [
      PinList.Key(name: "a.b", pin: pin, position: .root), PinList.Key(name: "c", pin: pin, position: .leaf),
      PinList.Key(name: "A-B", pin: try PinListScene.pin(2)), PinList.Key(name: "9", pin: try PinListScene.pin(3)),
      PinList.Key(name: "unused", pin: try PinListScene.pin(4)),
    ]
    list.keySets = [PinList.KeySet(name: "s", active: [0, 1, 2, 3])]
    list.hosts = [try PinListScene.host("a.example.com")]
    let files = try ExportFormat.chromium.files(of: list)
    let text = String(decoding: files[1].bytes, as: UTF8.self)
    let names = text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains("/") }.dropFirst(2)
    #expect(names == ["AB", "AB_2", "Key9"])
  }

  @Test(arguments: [
    ("PinsListTimestamp\nsoon\n", "P910"), ("name\nsha256/x\n", "P901"), ("Lone\n", "P910"),
    ("One\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "P901"),
    ("One\n-----BEGIN CERTIFICATE-----\nAAAA\n", "P901"),
    (
      "One\nsha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nOne\nsha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "P903"
    ),
  ])
  func whatIsWrongInTheKeysIsTold(pins: String, code: String) throws {
    let json = #"{ "pinsets": [], "entries": [] }"#
    let read = try ImportFormat.chromium.read(
      [ExchangedFile(name: "a.json", bytes: Array(json.utf8)), ExchangedFile(name: "a.pins", bytes: Array(pins.utf8))],
      ImportSettings(at: PinListScene.instant))
    #expect(read.findings.map(\.kind.rawValue) == [code])
  }
}
