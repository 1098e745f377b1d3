import PinExchange
import PinFormat
import Testing

struct CurlExportTests {
  @Test func aFileHasAPartForEachHost() throws {
    var list = try PinListScene.small(.server)
    list.hosts[0].port = 8443
    list.hosts.append(try PinListScene.host("2001:db8::1", port: 8443))
    try GoldenFile.expect(ExportFormat.curl.files(of: list)[0].bytes, "curl/pins.curlrc")
  }

  /// curl compares the leaf's key alone, so a host of which only CAs are pinned can't be reached any more.
  @Test func keysOfCAsAreLeftOutAndAHostWithoutOthersIsRefused() throws {
    var list = try PinListScene.small(.server)
    list.keys[0].owner = .certificateAuthority
    list.keys[1].position = .root
    let text = try String(decoding: ExportFormat.curl.files(of: list)[0].bytes, as: UTF8.self)
    let gone = [list.keys[0], list.keys[1]].map { String("\($0.pin)".dropFirst("sha256/".count)) }
    #expect(!gone.contains { text.contains($0) })
    list.keys[2].owner = .certificateAuthority
    let unfit = #expect(throws: UnfitPinList.self) { try ExportFormat.curl.files(of: list) }
    #expect(unfit?.keyless == ["api.example.com", "www.example.net"])
  }

  @Test func nothingIsLeftOutThatNobodyAccepted() throws {
    let unfit = #expect(throws: UnfitPinList.self) {
      try PinListScene.small().fitted(to: .curl, accepting: [.subdomains])
    }
    #expect(unfit?.losses.map(\.feature) == [.anyPosition])
  }
}
