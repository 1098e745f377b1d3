#if Service
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// What a hostile mirror may cost: as many bytes as a manifest may have grown to, on disk until signers have signed them.
@Suite(.timeLimit(.minutes(1))) struct DownloadLimitTests {
  @Test(
    arguments: [
      // Bytes of the manifest in force, factor, minimum, the store's limit; and the expected limit.
      (nil, 4, 8 << 20, 64 << 20, 64 << 20), (1_000, 4, 8 << 20, 64 << 20, 8 << 20),
      (2 << 20, 4, 8 << 20, 64 << 20, 8 << 20), (3 << 20, 4, 8 << 20, 64 << 20, 12 << 20),
      (20 << 20, 4, 8 << 20, 64 << 20, 64 << 20), (1_000, 4, 8 << 20, 1 << 20, 1 << 20),
      (3_000, 2, 1_024, 64 << 20, 6_000),
      (.max / 2, 4, 8 << 20, 64 << 20, 64 << 20), (3_000, 0, 1_024, 64 << 20, 3_000),
    ] as [(Int?, Int, Int, Int, Int)])
  func `the limit follows the manifest in force`(bytes: Int?, growth: Int, least: Int, most: Int, limit: Int) {
    var settings = FetchSettings(urls: [])
    settings.downloadGrowth = growth
    settings.leastDownloadLimit = least
    #expect(settings.downloadLimit(inForce: bytes, most: most) == limit)
  }

  @Test func `a body above the limit is cut off, whatever the store would take`() async throws {
    let scene = try FetchScene(maximumBytes: 64 << 20)
    // Without a length, so that only the received bytes count.
    @Sendable func chunk(_ count: Int) -> [ScriptedServer.Step] {
      let size = Array("\(String(count, radix: 16))\r\n".utf8)
      return .head(["Transfer-Encoding: chunked"])
        + [.send(size + [UInt8](repeating: 0x20, count: count) + Array("\r\n0\r\n\r\n".utf8))]
    }
    let server = try await ScriptedServer.start { _ in chunk((8 << 20) + 1) }
    #expect(try await scene.fetching([server.url()]) { await $0.fetch() }.names == ["too-large"])
    server.answer { _ in chunk(8 << 20) }
    #expect(try await scene.fetching([server.url()]) { await $0.fetch() }.names == ["rejected"])
    try scene.expect(serial: 5)
    await server.stop()
  }

  @Test func `where nothing is in force, the store's own limit holds`() async throws {
    let releases = Releases()
    var settings = FetchSettings(urls: [])
    settings.allowsPlainHTTP = true
    let server = try await ScriptedServer.start { _ in .respond(200, body: [UInt8](repeating: 0x20, count: 9 << 20)) }
    settings.urls = [server.url()]
    let store = PinStore(try releases.settings())
    let fetcher = try ManifestFetcher(settings, into: store)
    #expect(await fetcher.fetch().names == ["rejected"])
    let bytes = try releases.file(serial: 1)
    server.answer { _ in .respond(200, body: bytes) }
    #expect(await fetcher.fetch().names == ["activated"])
    #expect(store.validator?.manifest.fileByteCount == bytes.count)
    await fetcher.shutdown()
    await server.stop()
  }

  /// The file is verified before it is read, and what is read is verified again: the answer is that of the bytes.
  @Test(arguments: [1, 3_000])
  func `a downloaded file is taken or refused as its bytes are`(hosts: Int) throws {
    let releases = Releases()
    let names = (0..<hosts).map { "h\($0).pinned.test" }
    let good = try releases.file(serial: 6, hosts: names)
    // One that is longer than what precedes the signed bytes in any file, and one that isn't.
    #expect((good.count > 80_000) == (hosts > 1))
    let ends = [0, 1, 20, 90, 300, good.count / 2, good.count - 3, good.count - 2, good.count - 1]
    var files = ends.map { place in
      var bytes = good
      bytes[place] ^= 1
      return bytes
    }
    files += [[], Array("{}".utf8), Array(good.dropLast()), good + [0x20], good + good]
    files += [try releases.file(serial: 6, audience: "other", hosts: names)]
    files += [try Releases().file(serial: 6, hosts: names), [UInt8](repeating: 0x20, count: 100_000)]
    files += [try releases.file(serial: 4, hosts: names), good]
    for (number, bytes) in files.enumerated() {
      let answers = try [false, true].map { isFile in
        let store = PinStore(try releases.settings())
        try store.update(releases.file(serial: 5, hosts: names))
        let file = try UnnamedFile(in: nil)
        try bytes.withUnsafeBytes { try file.append($0) }
        do {
          return "\(try isFile ? store.update(file) : store.update(bytes))"
        } catch let error as UpdateError {
          return error.code.description
        }
      }
      // The beginning of the answers: their kind.
      #expect(answers[0].prefix(16) == answers[1].prefix(16), "file \(number)")
    }
  }
}
#endif
