import Diagnostics
import PinExchange
import PinFormat
import TestSupport
import Testing

struct AndroidTests {
  static let formats: [(ExportFormat, ImportFormat)] = [(.android, .android), (.trustKitAndroid, .trustKitAndroid)]

  static func list() throws -> PinList {
    var list = try PinListScene.small()
    list.hosts[0].expires = Instant(written: "2027-06-01")
    list.hosts[0].onExpiry = .unpinned
    list.hosts[2].reportURIs = ["https://reports.example.org/pins?app=shop&os=android"]
    list.hosts.append(try PinListScene.host("legacy.api.example.com", .all))
    list.hosts[3].mode = .off
    list.hosts[3].keySet = nil
    list.hosts.append(try PinListScene.host("new.example.net"))
    list.hosts[4].mode = .reportOnly
    list.hosts.sort { $0.host < $1.host }
    return list
  }

  static func read(_ format: ImportFormat, _ bytes: [UInt8]) throws -> ImportedPins {
    try format.read([ExchangedFile(name: "x.xml", bytes: bytes)], ImportSettings(at: PinListScene.instant))
  }

  @Test(arguments: [(ExportFormat.android, "android"), (.trustKitAndroid, "trustkit-android")])
  func aFileIsWhatADeveloperWouldHaveWritten(format: ExportFormat, folder: String) throws {
    let files = try format.files(of: Self.list())
    #expect(files.map(\.name) == ["network_security_config.xml"])
    try GoldenFile.expect(files[0].bytes, "\(folder)/network_security_config.xml")
  }

  @Test(arguments: 0..<Thoroughness.pick(70, full: 300))
  func whatIsWrittenReadsBack(seed: Int) throws {
    for (export, importer) in Self.formats {
      let list = try seed % 2 == 0 ? PinListScene.nested(seed) : PinListScene.random(seed)
      guard let fitted = try? export.fitted(list) else { continue }
      let bytes = try export.write(fitted, ExportSettings(at: PinListScene.instant))[0].bytes
      let imported = try Self.read(importer, bytes)
      #expect(PinListMeaning(imported.list) == PinListMeaning(fitted.list))
      #expect(imported.findings.allSatisfy { [.notEnforced, .otherSetting].contains($0.kind) })
    }
  }

  /// Most random lists can be written once all losses are accepted; a round trip over none would show nothing.
  @Test func listsCanBeWritten() throws {
    for (export, _) in Self.formats {
      let count = (0..<300).count { seed in
        (try? export.fitted(seed % 2 == 0 ? PinListScene.nested(seed) : PinListScene.random(seed))) != nil
      }
      #expect(count > 100)
    }
  }

  @Test func aRealFileIsRead() throws {
    let imported = try Self.read(.android, GoldenFile.bytes("android/app.xml"))
    try GoldenFile.expect(Array(ImportOutline.text(imported).utf8), "android/app.txt")
  }

  @Test func theSameFileIsReadForTrustKit() throws {
    let imported = try Self.read(.trustKitAndroid, GoldenFile.bytes("android/app.xml"))
    try GoldenFile.expect(Array(ImportOutline.text(imported).utf8), "trustkit-android/app.txt")
  }

  @Test(arguments: [
    ("", "it is empty"),
    ("<resources/>", "its root is 'resources', and not 'network-security-config'"),
    ("bplist00", "it isn't well-formed XML: syntax error"),
    ("<network-security-config><domain-config></network-security-config>", "it isn't well-formed XML: mismatched tag"),
  ])
  func whatIsNoneIsRefused(text: String, message: String) {
    let error = #expect(throws: ExchangeError.self) { try Self.read(.android, Array(text.utf8)) }
    #expect(error?.message == message)
    #expect(error?.place != nil)
  }

  /// What people paste, without the root.
  @Test func aPartIsRead() throws {
    let part = """
      <!-- from the documentation -->
      <domain-config>
        <domain includeSubdomains="true">example.com</domain>
        <pin-set><pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin></pin-set>
      </domain-config>
      <domain-config>
        <domain>x</domain><pin-set><pin digest='SHA-256'>nonsense</pin></pin-set>
      </domain-config>
      """
    let imported = try Self.read(.android, Array(part.utf8))
    #expect(
      ImportOutline.text(imported) == """
        example.com enforce subdomains=all example-com-1=C5+lpZ
        7:21 P901 no pin of 'x' can be used, so the host was left out
            Compute the pins of its keys with 'pintle pin FILE'.
        7:52 P901 pin 'nonsense' of 'x' was left out: it decodes to 6 bytes, and SHA-256 has 32
            Compute the pin of the key with 'pintle pin FILE', and write it as 44 characters of Base64.

        """)
  }
}
