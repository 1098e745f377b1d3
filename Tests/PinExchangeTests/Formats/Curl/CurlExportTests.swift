import PinExchange
import PinFormat
import PinPolicy
import TestSupport
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

  /// `https://host/` is port 443: an entry for that very port is the only one that counts for it.
  @Test(arguments: [Mode.enforce, .off]) func theEntryOfPort443CountsForAURLWithoutAPort(_ mode: Mode) throws {
    var list = try PinListScene.small(.server, subdomains: .none)
    list.hosts.insert(try PinListScene.host("api.example.com", port: 443, keySet: 1), at: 1)
    if mode == .off { (list.hosts[1].mode, list.hosts[1].keySet) = (.off, nil) }
    let text = try String(decoding: ExportFormat.curl.files(of: list)[0].bytes, as: UTF8.self)
    #expect(!text.contains("https://api.example.com/"))
    #expect(text.contains("https://api.example.com:443/") == (mode == .enforce))
  }

  @Test(arguments: [ExportFormat.curl.name, ExportFormat.tlsa.name])
  func aFileWithoutPinsIsNotWritten(_ name: String) throws {
    let format = try #require(ExportFormat.all.first { $0.name == name })
    var list = try PinListScene.small(.server, subdomains: .none)
    var off = try PinListScene.host("api.example.com", port: 443)
    (off.mode, off.keySet) = (.off, nil)
    list.hosts = [list.hosts[0], off]
    #expect(throws: ExchangeError.self) { try format.files(of: list) }
  }

  @Test func nothingIsLeftOutThatNobodyAccepted() throws {
    let unfit = #expect(throws: UnfitPinList.self) {
      try PinListScene.small().fitted(to: .curl, accepting: [.subdomains])
    }
    #expect(unfit?.losses.map(\.feature) == [.allPorts, .anyPosition])
  }

  @Test(arguments: 0..<Thoroughness.pick(70, full: 200))
  func whatIsWrittenIsTheList(seed: Int) throws {
    let list = try PinListScene.random(seed, owner: .server)
    let back = try WrittenText.curl(ExportFormat.curl.files(of: list)[0])
    var written = try ExportFormat.curl.fitted(list).list
    // curl compares only the leaf's key, so a server's key comes back as the leaf's.
    for number in written.keys.indices { written.keys[number].position = .leaf }
    #expect(PinListMeaning(back) == PinListMeaning(written) { ($0.expires, $0.onExpiry) = (nil, nil) })
  }
}
