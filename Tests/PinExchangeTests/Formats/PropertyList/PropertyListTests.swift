import Diagnostics
import Foundation
import PinExchange
import PinFormat
import PinPolicy
import PinRules
import PinValidator
import TestSupport
import Testing

struct PropertyListTests {
  static func read(_ format: ImportFormat, _ bytes: [UInt8]) throws -> ImportedPins {
    try format.read([ExchangedFile(name: "Info.plist", bytes: bytes)], ImportSettings(at: PinListScene.instant))
  }

  static func list(_ owner: PinList.Owner? = nil) throws -> PinList {
    var list = try PinListScene.small(owner)
    list.hosts[0].expires = Instant(written: "2027-06-01")
    list.hosts[0].onExpiry = .unpinned
    list.hosts[2].mode = .reportOnly
    list.hosts[2].reportURIs = ["https://reports.example.org/pins?app=shop&os=ios", "https://other.example.org/"]
    list.hosts.append(try PinListScene.host("legacy.api.example.com"))
    (list.hosts[3].mode, list.hosts[3].keySet) = (.off, nil)
    list.hosts.sort { $0.host < $1.host }
    return list
  }

  @Test func trustKitIsWhatADeveloperWouldHaveWritten() throws {
    let files = try ExportFormat.trustKitIOS.files(of: Self.list())
    #expect(files.map(\.name) == ["TrustKit.plist"])
    try GoldenFile.expect(files[0].bytes, "trustkit-ios/TrustKit.plist")
  }

  @Test func appleIsWhatADeveloperWouldHaveWritten() throws {
    var list = try Self.list()
    list.keys[0].owner = .certificateAuthority
    list.keys[1].position = .leaf
    list.keys[2].position = .root
    list.keys[3].owner = .server
    let files = try ExportFormat.apple.files(of: list)
    #expect(files.map(\.name) == ["NSPinnedDomains.plist"])
    try GoldenFile.expect(files[0].bytes, "apple/NSPinnedDomains.plist")
  }

  /// An authority's pin is one above the leaf, before and after: it survives the policy and its manifest.
  @Test func applesAuthoritiesSurviveAPolicy() throws {
    let imported = try Self.read(.apple, GoldenFile.bytes("apple/NSPinnedDomains.plist"))
    let authorities = imported.list.keys.filter { $0.position == .ca }
    try #require(!authorities.isEmpty)
    let written = PolicyWriter.write(ImportScene.draft(imported))
    let policy = try ImportScene.check(written).policy
    let checked = try #require(CheckedPolicy.check(CheckInput(policy: policy, at: PinListScene.instant)).checked)
    let list = PinList(try checked.rehearsed(at: PinListScene.instant).manifest)
    #expect(Set(list.keys.filter { $0.position == .ca }.map(\.pin)) == Set(authorities.map(\.pin)))
    #expect(ExportFormat.apple.support(.caPosition) == .exact)
    #expect(list.keys.allSatisfy { $0.position == .ca || $0.position == .leaf })
  }

  @Test(arguments: [(ImportFormat.trustKitIOS, "trustkit-ios"), (.apple, "apple")])
  func aRealFileIsRead(format: ImportFormat, folder: String) throws {
    let imported = try Self.read(format, GoldenFile.bytes("\(folder)/Info.plist"))
    try GoldenFile.expect(Array(ImportOutline.text(imported).utf8), "\(folder)/Info.txt")
  }

  /// What people paste: two elements without a root, the dictionary alone, the names of the constants.
  @Test(arguments: [
    "<key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict>%</dict></dict>",
    "<plist><dict><key>TSKPinnedDomains</key><dict>%</dict></dict></plist>",
    "<dict><key>kTSKPinnedDomains</key><dict>%</dict></dict>",
    "<!-- a --> <key>TSKPinnedDomains</key><dict>%</dict>",
  ])
  func partsAreRead(around: String) throws {
    let pins = "<array><string>C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</string></array>"
    let domain = "<key>example.com</key><dict><key>TSKPublicKeyHashes</key>\(pins)</dict>"
    let imported = try Self.read(.trustKitIOS, Array(around.replacing("%", with: domain).utf8))
    #expect(imported.list.hosts.map(\.label) == ["example.com"])
    #expect(imported.list.keys.count == 1)
    #expect(imported.findings.map(\.kind) == (around.contains("kTSK") ? [.unknownField] : []))
  }

  @Test(arguments: [
    ("bplist00\u{1}", "it is a binary property list", "1:1"),
    ("<plist><dict><key>a</key></dict></plist>", "the key 'a' has no value", "1:19"),
    ("<plist><dict><true/></dict></plist>", "a value of a 'dict' has no 'key' before it", "1:14"),
    ("<plist><dict/><dict/></plist>", "its 'plist' has not one value", "1:1"),
    ("<plist>\n <what/></plist>", "'what' is not a value of a property list", "2:2"),
    ("<plist><dict/></plist>", "it has no dictionary 'TSKPinnedDomains'", "1:8"),
    (
      "<!DOCTYPE plist [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><plist><string>&x;</string></plist>",
      "its document type declares something, which could mean anything", "1:17"
    ),
  ])
  func whatIsNoneIsRefused(text: String, message: String, place: String) {
    let error = #expect(throws: ExchangeError.self) { try Self.read(.trustKitIOS, Array(text.utf8)) }
    #expect(error?.message == message)
    #expect(error?.place.map { "\($0.start.line):\($0.start.column)" } == place)
  }

  @Test(arguments: 0..<Thoroughness.pick(70, full: 200))
  func trustKitReadsBack(seed: Int) throws {
    let list = try seed % 2 == 0 ? PinListScene.nested(seed) : PinListScene.random(seed)
    guard let fitted = try? ExportFormat.trustKitIOS.fitted(list) else { return }
    let file = try ExportFormat.trustKitIOS.write(fitted, ExportSettings(at: PinListScene.instant))[0]
    let imported = try Self.read(.trustKitIOS, file.bytes)
    #expect(PinListMeaning(imported.list) == PinListMeaning(fitted.list))
    #expect(imported.findings.allSatisfy { [.notEnforced, .otherSetting].contains($0.kind) })
  }

  /// A leaf's key comes back with its position, and ends of what has none are left away.
  @Test(arguments: 0..<Thoroughness.pick(70, full: 200))
  func appleReadsBack(seed: Int) throws {
    let list = try seed % 2 == 0 ? PinListScene.nested(seed) : PinListScene.random(seed)
    guard var fitted = try? ExportFormat.apple.fitted(list).list else { return }
    let file = try ExportFormat.apple.files(of: list)[0]
    for number in fitted.keys.indices {
      fitted.keys[number].position = fitted.keys[number].owner == .server ? .leaf : fitted.keys[number].position
      if fitted.keys[number].owner == .certificateAuthority { fitted.keys[number].position = .ca }
    }
    let imported = try Self.read(.apple, file.bytes)
    #expect(
      PinListMeaning(imported.list)
        == PinListMeaning(fitted) { host in (host.expires, host.onExpiry) = (nil, nil) })
    #expect(imported.findings.isEmpty)
  }

  @Test func listsCanBeWritten() throws {
    for format in [ExportFormat.trustKitIOS, .apple] {
      let count = (0..<200).count { seed in
        (try? format.fitted(seed % 2 == 0 ? PinListScene.nested(seed) : PinListScene.random(seed))) != nil
      }
      #expect(count > 60, "\(format.name)")
    }
  }

  /// Apple would be satisfied by one of the two lists.
  @Test func aHostThatLosesOneSideIsRefused() throws {
    var list = try PinListScene.small(.server)
    list.hosts[0].requirement = .leafAndCA
    let error = #expect(throws: ExchangeError.self) { try ExportFormat.apple.files(of: list) }
    #expect(error?.code == .invalidValue)
  }

  @Test(arguments: ["vpn.internal", "com", "localhost"])
  func hostsAtWhichTrustKitStopsTheAppAreRefused(name: String) throws {
    for format in [ExportFormat.trustKitIOS, .trustKitAndroid] {
      var list = try PinListScene.small()
      list.hosts[0] = try PinListScene.host(name, .all)
      #expect(throws: ExchangeError.self) { try format.files(of: list) }
    }
  }
}
