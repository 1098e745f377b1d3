import PinExchange
import PinFormat
import Testing

struct HPKPExportTests {
  static func list() throws -> PinList {
    var list = try PinListScene.small()
    list.hosts[0].expires = PinListScene.instant.adding(seconds: 30 * 86_400)
    list.hosts[0].onExpiry = .unpinned
    list.hosts[1].reportURIs = ["https://pins.example.org/reports?a=1;b", "https://second.example.org"]
    list.hosts[2].mode = .reportOnly
    return list
  }

  @Test func aFileHasAHeaderForEachHost() throws {
    try GoldenFile.expect(ExportFormat.hpkp.files(of: Self.list())[0].bytes, "hpkp/public-key-pins.txt")
  }

  /// `max-age=0` has a browser forget what it noted, which is what `on-expiry: unpinned` means.
  @Test func anExpiryThatHasPassedHasBrowsersForget() throws {
    var list = try Self.list()
    list.hosts[0].expires = PinListScene.instant.adding(seconds: -1)
    let text = try String(decoding: ExportFormat.hpkp.files(of: list)[0].bytes, as: UTF8.self)
    #expect(text.contains("max-age=0; includeSubDomains"))
  }

  /// RFC 7469 section 2.5 has it ignored: it would look pinned and not be.
  @Test func aHostWithoutABackupIsLeftOut() throws {
    var list = try Self.list()
    list.keySets[1] = PinList.KeySet(name: nil, active: [1])
    let fitted = try list.fitted(
      to: .hpkp, accepting: [.singleKey, .furtherReportURIs])
    #expect(fitted.list.hosts.map(\.host.text) == ["api.example.com", "www.example.net"])
    #expect(throws: UnfitPinList.self) { try list.fitted(to: .hpkp, accepting: [.furtherReportURIs]) }
  }

  /// What ends a quoted string stands behind a backslash, so that an address adds no directive.
  @Test func anAddressEndsNothing() throws {
    var list = try PinListScene.small()
    let address = "https://reports.example.org/a\";max-age=0;b=\"\\"
    list.hosts[0].reportURIs = [address]
    let files = try ExportFormat.hpkp.files(of: list)
    let back = try ImportFormat.hpkp.read(files, ImportSettings(at: PinListScene.instant))
    #expect(back.findings == [])
    #expect(back.list.hosts.first { $0.host.text == "api.example.com" }?.reportURIs == [address])
  }
}
