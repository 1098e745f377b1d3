import Diagnostics
import PinExchange
import PinFormat
import Testing

/// Imports say what they read, and call a thing what it is.
struct ImportHonestyTests {
  private static let real = [
    "C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=",
  ]

  private static func read(_ format: ImportFormat, _ text: String) throws -> ImportedPins {
    try format.read([ExchangedFile(name: "file", bytes: Array(text.utf8))], ImportSettings(at: PinListScene.instant))
  }

  private static func android(
    _ pins: [String], anchors: [String] = ["system"], expiration: String = "", isWide: Bool = false
  ) -> String {
    let anchors = anchors.map { "<certificates src=\"\($0)\"/>" }.joined()
    let config = domainConfig(
      "api.example.com", pins, expiration, isWide: isWide, "<trust-anchors>\(anchors)</trust-anchors>\n")
    return "<network-security-config>\(config)</network-security-config>"
  }

  private static func domainConfig(
    _ host: String, _ pins: [String], _ expiration: String = "", isWide: Bool = false, _ more: String = ""
  ) -> String {
    let pins = pins.map { "<pin digest=\"SHA-256\">\($0)</pin>" }.joined()
    return "<domain-config>\n<domain\(isWide ? " includeSubdomains=\"true\"" : "")>\(host)</domain>\n\(more)"
      + "<pin-set\(expiration)>\(pins)</pin-set>\n</domain-config>"
  }

  // MARK: Pins

  /// Words were pins, and their underscores slashes.
  @Test(arguments: [
    ("REPLACE_WITH_BASE64_SHA256_OF_SERVER_PUBKEY=", "P901", "spells 'REPLACE', 'WITH' and 'BASE64': a placeholder"),
    ("ReplaceWithTheHashOfYourBackupKeyBeforeYouG=", "P907", "spells "),
    ("ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFA=", "P907", "follows a pattern: a placeholder"),
    ("hxqRlPTu1bMS_0DITB1SSu0vd4u_8l8TjPgfaAp63Gc=", "P901", "has '-' or '_', which only the Base64 of URLs has"),
    ("hxqRlPTu1bMS-0DITB1SSu0vd4u-8l8TjPgfaAp63Gc=", "P901", "has '-' or '_', which only the Base64 of URLs has"),
  ])
  func whatIsNoPinIsLeftOut(_ text: String, _ code: String, _ said: String) throws {
    let draft = ImportScene.draft(try Self.read(.android, Self.android(Self.real + [text])))
    #expect(Set(draft.list.keys.map(\.pin)) == Set(try Self.real.map { try Pin("sha256/" + $0) }))
    #expect(draft.findings.map(\.kind.rawValue) == [code])
    #expect(draft.findings.first?.message.contains(said) == true, "\(draft.findings.map(\.message))")
  }

  /// GoogleG2, a root of Thawte: examples of documentation, and pinned by Chromium's list on purpose.
  @Test func keysOfRealCAsStayWhoeverPublishedThem() throws {
    let pins = ["7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y=", "HXXQgxueCIU5TTLHob/bPbwcKOKw6DkfsTWYHbxbqTY="]
    let draft = ImportScene.draft(try Self.read(.android, Self.android(pins + Self.real)))
    #expect(draft.findings == [])
    #expect(draft.list.keys.count == 4)
  }

  // MARK: Anchors

  @Test(arguments: [
    (["@raw/company_ca"], "P912", "in Android, only '@raw/company_ca' anchors are trusted for 'api.example.com';"),
    (
      ["@raw/a", "@raw/b"], "P912", "in Android, only '@raw/a' and '@raw/b' anchors are trusted for 'api.example.com';"
    ),
    (["user"], "P912", "in Android, only 'user' anchors are trusted for 'api.example.com';"),
    (
      ["system", "@raw/company_ca"], "P904",
      "in Android, '@raw/company_ca' anchors are trusted for 'api.example.com' too;"
    ),
    (["system"], "", ""),
  ])
  func anchorsAreThoseThatStandThere(_ sources: [String], _ code: String, _ said: String) throws {
    let imported = try Self.read(.android, Self.android(Self.real, anchors: sources))
    #expect(imported.findings.map(\.kind.rawValue) == (code.isEmpty ? [] : [code]))
    #expect(imported.findings.allSatisfy { $0.message.hasPrefix(said) }, "\(imported.findings.map(\.message))")
  }

  /// A part in another one names its own hosts, or those around it if it has none.
  @Test(arguments: [
    (
      "<domain>b.api.example.com</domain><trust-anchors><certificates src=\"user\"/></trust-anchors>",
      "in Android, only 'user' anchors are trusted for 'b.api.example.com';"
    ),
    (
      "<trust-anchors><certificates src=\"user\"/></trust-anchors><domain>b.api.example.com</domain>",
      "in Android, only 'user' anchors are trusted for 'b.api.example.com';"
    ),
    ("", "a 'domain-config' in that of 'api.example.com' names no domain: Android rejects the file"),
  ])
  func nestedPartsNameHosts(_ nested: String, _ said: String) throws {
    let outer = Self.android(Self.real).replacing(
      "</domain-config>", with: "<domain-config>\(nested)</domain-config></domain-config>")
    let imported = try Self.read(.android, outer)
    #expect(imported.findings.contains { $0.message.hasPrefix(said) }, "\(imported.findings.map(\.message))")
  }

  // MARK: A second platform

  @Test(arguments: [
    (Mode.enforce, true, 2, true), (.enforce, false, 2, false), (.reportOnly, true, 2, false),
    (.enforce, true, 1, false),
  ])
  func theSamePinsAreThereAlready(_ mode: Mode, _ isWide: Bool, _ pins: Int, _ isThere: Bool) throws {
    var existing = ExistingPolicy()
    existing.hosts["api.example.com"] = ExistingPolicy.Host(
      place: "policies/ios.yaml:9", mode: mode, coversSubdomains: isWide,
      pins: Set(try Self.real.prefix(pins).map { try Pin("sha256/" + $0) }))
    let placeholder = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    for added in [[], [placeholder]] {
      let imported = try Self.read(.android, Self.android(Self.real + added, isWide: true))
      let draft = ImportDraft(
        imported,
        ImportDraft.Settings(
          at: PinListScene.instant, reviewBy: PinListScene.instant.adding(seconds: 86_400), files: ["file"],
          format: "a format", existing: existing))
      #expect(draft.list.hosts == [])
      #expect(draft.alreadyThere == (isThere ? ["api.example.com"] : []))
      #expect(draft.findings.map(\.kind) == (isThere ? [] : [.contradiction]))
    }
  }

  // MARK: Findings

  @Test func oneFindingForACauseThatIsInManyPlaces() throws {
    let hosts = (1...9).map { Self.domainConfig("h\($0).example.com", [Self.real[0], "abcd"]) }
    let text = "<network-security-config>\n\(hosts.joined(separator: "\n"))\n</network-security-config>"
    let draft = ImportScene.draft(try Self.read(.android, text), files: ["app.xml"])
    #expect(draft.findings.map(\.kind) == [.unusablePin, .noBackup])
    #expect(
      draft.findings[0].message
        == "pin 'abcd' of 'h1.example.com' was left out: it decodes to 3 bytes, and SHA-256 has 32; "
        + "the same 8 times more, at line 8, line 12, line 16, line 20, line 24 and elsewhere")
  }

  // MARK: Exporting what had expired

  /// Pins that Android doesn't enforce any more came back as pins that it does.
  @Test(arguments: [ExportFormat.android.name, ExportFormat.trustKitAndroid.name])
  func whatHadExpiredIsNotEnforcedAfterwards(_ name: String) throws {
    let format = try #require(ExportFormat.all.first { $0.name == name })
    let expired = try Self.read(.android, Self.android(Self.real, expiration: " expiration=\"2024-01-01\""))
    var list = ImportScene.draft(expired).list
    #expect(list.hosts.map(\.mode) == [.reportOnly])
    list.hosts.append(try PinListScene.host("www.example.com"))
    let features = Set(PolicyFeature.allCases)
    let files = try format.write(list.fitted(to: format, accepting: features), ExportSettings(at: PinListScene.instant))
    let text = String(decoding: files[0].bytes, as: UTF8.self)
    let back = try Self.read(.android, text.replacing(#/<trustkit-config[^>]*>/#, with: "")).list
    #expect(back.hosts.filter { $0.mode != .off }.map(\.host.text) == ["www.example.com"])
    #expect(throws: UnfitPinList.self) { try list.fitted(to: format, accepting: features.subtracting([.reportOnly])) }
  }

  // MARK: Other formats

  @Test(arguments: [
    ("<network-security-config><domain-config/></network-security-config>", "import it as 'android'"),
    ("<a><trustkit-config enforcePinning=\"true\"/></a>", "import it as 'trustkit-android'"),
    ("<plist><dict><key>NSPinnedDomains</key></dict></plist>", "import it as 'apple'"),
    ("<plist><dict><key>TSKPinnedDomains</key></dict></plist>", "import it as 'trustkit-ios'"),
    ("{\"pinsets\": [{\"static_spki_hashes\": []}]}", "import it as 'chromium'"),
    ("{\"payload\": \"\", \"payloadType\": \"\"}", "import it as 'dsse'"),
    ("HTTP/1.1 200 OK\nPublic-Key-Pins: max-age=1", "'pintle find FILE' lists"),
    ("pin-sha256=\"x\"; max-age=1", "'pintle find FILE' lists"),
    ("{\"sha256Keys\": {}}", "'pintle find FILE' lists"),
    ("CertificatePinner.Builder().add(\"a\", \"sha256/x\")", "'pintle find FILE' lists"),
    ("curl --pinnedpubkey sha256//x https://a", "'pintle find FILE' lists"),
    ("version: 1\nkeys:\n  a: { pin: x }", "It needs no import"),
    ("{\"signatures\": [], \"signed\": {}}", "'pintle show FILE' shows it"),
    ("-----BEGIN CERTIFICATE-----", "'pintle pin FILE' computes its pin"),
  ])
  func aFileOfAnotherFormatIsNamed(_ text: String, _ said: String) {
    let file = ExchangedFile(name: "file", bytes: Array(text.utf8))
    let named: ImportFormat = said.contains("trustkit-ios") ? .android : .trustKitIOS
    let help = OtherContent.help(for: [file], otherThan: named)
    #expect(help?.contains(said) == true, "\(help ?? "nothing")")
  }

  @Test func aFileOfItsOwnFormatOrOfNoneIsNot() {
    let own = ExchangedFile(name: "file", bytes: Array("<key>TSKPinnedDomains</key><true/>".utf8))
    #expect(OtherContent.help(for: [own], otherThan: .trustKitIOS) == nil)
    let none = ExchangedFile(name: "file", bytes: Array("Dear all".utf8))
    #expect(OtherContent.help(for: [none], otherThan: .trustKitIOS) == nil)
  }
}
