#if Service
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// What mirrors of keysets may do; after each the last good keyset is trusted, the next mirror is asked, and the manifest
/// is fetched.
@Suite(.timeLimit(.minutes(1))) struct HostileKeysetServerTests {
  /// A row of the table: what the mirror sends when it is asked for version 3, what the attempt is called, and the code of
  /// a refusal.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let code: String?
    let steps: @Sendable (Keysets) throws -> [ScriptedServer.Step]

    init(
      _ title: String, _ name: String, code: String? = nil,
      _ steps: @escaping @Sendable (Keysets) throws -> [ScriptedServer.Step]
    ) {
      testDescription = title
      self.name = name
      self.code = code
      self.steps = steps
    }

    /// A row whose mirror sends a file that is refused.
    static func refused(
      _ title: String, _ code: String, _ file: @escaping @Sendable (Keysets) throws -> [UInt8]
    ) -> Row {
      Row(title, "rejected", code: code) { .respond(200, body: try file($0)) }
    }
  }

  static let refusals: [Row] = [
    .refused("garbage", "malformed-file") { _ in Array("<html>".utf8) },
    .refused("nothing", "malformed-file") { _ in [] },
    .refused("an older version", "older-version") { try $0.file(1) },
    .refused("the same version with other bytes", "conflicting-version") { try $0.file(2, expires: 86_400) },
    .refused("a version too far", "skipped-version") { try $0.file(4) },
    .refused("the newest there can be", "skipped-version") { try $0.file(9_007_199_254_740_991) },
    .refused("signed by roots of its own", "too-few-signatures") { keysets in
      try keysets.file(3, roots: [SigningKey("other")])
    },
    .refused("signed by the old roots, and not by its own", "too-few-signatures") { keysets in
      try keysets.file(3, minimumSerial: 2, roots: [keysets.root, SigningKey("other")], by: [keysets.root])
    },
    .refused("signed by a signer of manifests", "too-few-signatures") { try $0.file(3, by: [$0.alice]) },
    .refused("signed as a manifest", "invalid-signature") { keysets in
      let file = try keysets.file(3)
      let signed = try SignatureEnvelope(scanning: file, as: .keyset).signed
      return try [keysets.root].sign(Array(file[signed]), as: .manifest)
    },
    .refused("a manifest", "too-few-signatures") { try Releases(key: $0.alice).file(serial: 6) },
    .refused("a changed byte", "invalid-signature") { keysets in
      var bytes = try keysets.file(3)
      bytes[bytes.count - 3] ^= 1
      return bytes
    },
    .refused("another audience", "wrong-audience") { try $0.file(3, audience: "other") },
    .refused("serials that fall", "serials-fall") { try $0.file(3, minimumSerial: 1) },
  ]

  static let failures: [Row] = [
    Row("the same version again", "repeated") { .respond(200, body: try $0.secondFile()) },
    Row("304 unasked", "unexpected-not-modified") { _ in .respond(304) },
    Row("403", "status") { .respond(403, body: try $0.file(3, minimumSerial: 2)) },
    Row("206", "status") { .respond(206, body: try $0.file(3, minimumSerial: 2)) },
    Row("500", "status") { _ in .respond(500) },
    Row("a redirect to another host", "redirect") { _ in .respond(302, ["Location: http://localhost:9/"]) },
    Row("a redirect to another port", "redirect") { _ in .respond(302, ["Location: http://127.0.0.1:9/"]) },
    Row("a redirect to nowhere", "redirect") { _ in .respond(301) },
    Row("a redirect in a circle", "redirect") { _ in .respond(308, ["Location: /keysets/3.keyset.json"]) },
    Row("encoded", "encoded") { keysets in
      .respond(200, ["Content-Encoding: gzip"], body: try keysets.file(3, minimumSerial: 2))
    },
    Row("a length above 64 KiB", "too-large") { _ in .head(["Content-Length: 65537"]) + [.hang] },
    Row("a byte more than 64 KiB", "too-large") { _ in .respond(200, body: [UInt8](repeating: 0x20, count: 65_537)) },
    Row("endless chunks", "too-large") { _ in
      .head(["Transfer-Encoding: chunked"])
        + [.sendForever(Array("8000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x8000) + Array("\r\n".utf8))]
    },
    Row("endless without a length", "too-large") { _ in
      .head(["Connection: close"]) + [.sendForever([UInt8](repeating: 0x20, count: 0x8000))]
    },
    Row("killed in mid-body", "connection") { keysets in
      let bytes = try keysets.file(3, minimumSerial: 2)
      return .head(["Content-Length: \(bytes.count)"]) + [.send(Array(bytes.prefix(bytes.count / 2))), .close]
    },
    Row("closed at once", "connection") { _ in [.close] },
    Row("no HTTP", "connection") { _ in [.send(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8)), .close] },
  ]

  @Test(arguments: refusals + failures)
  func `what is trusted stays, the next mirror is asked, and the manifest is fetched`(row: Row) async throws {
    let scene = try FetchScene(underKeyset: true)
    let keysets = scene.keysets
    try scene.store.update(keyset: keysets.secondFile())
    let steps = try row.steps(keysets)
    let bad = try await ScriptedServer.start { _ in steps }
    let old = try scene.releases.file(serial: 6)
    let manifests = try await ScriptedServer.start { _ in .respond(200, body: old) }
    let alone = try await scene.fetching([manifests.url()], keysets: [bad.keysets]) { await $0.fetch() }
    #expect(alone.keysets.names == ["3 \(row.name)"])
    #expect(alone.keysets.hasFailed)
    if let code = row.code, case .rejected(let error) = alone.keysets.attempts.first?.result {
      #expect(error.code.description == code)
    }
    #expect(scene.store.keyset?.version == 2)
    #expect(alone.names == ["activated"])
    try scene.expect(serial: 6)

    let third = try keysets.file(3, minimumSerial: 2, signers: [keysets.bob])
    let good = try await ScriptedServer.mirror([3: third])
    let newer = try scene.releases.file(serial: 7, by: [keysets.bob])
    manifests.answer { _ in .respond(200, body: newer) }
    let both = try await scene.fetching([manifests.url()], keysets: [bad.keysets, good.keysets]) { await $0.fetch() }
    #expect(both.keysets.names == ["3 \(row.name)", "3 activated", "4 none"])
    #expect(!both.keysets.hasFailed)
    #expect(both.names == ["activated"])
    #expect(scene.store.keyset?.version == 3)
    #expect(scene.store.validator?.manifest.serial == 7)
    for server in [bad, good, manifests] { await server.stop() }
  }

  @Test(arguments: [
    ScriptedServer.Step.hang, .sendForever([0x20]),
  ])
  func `a silent or trickling body ends at the deadline`(step: ScriptedServer.Step) async throws {
    let clock = ManualClock()
    var scene = try FetchScene(underKeyset: true)
    scene.pacing = Pacing(clock: clock, random: { 0 })
    scene.settings.deadline = .seconds(60)
    let slow = try await ScriptedServer.start { _ in .head(["Content-Length: 60000"]) + [step] }
    let good = try await ScriptedServer.mirror(scene.keysets.files(2...2))
    let newer = try scene.releases.file(serial: 6)
    let manifests = try await ScriptedServer.start { _ in .respond(200, body: newer) }
    let mirrors = [slow.keysets, good.keysets]
    let round = try await scene.fetching([manifests.url()], keysets: mirrors) { fetcher in
      async let round = fetcher.fetch()
      try await until { slow.requests.count == 1 && clock.isAsleep(for: .seconds(60)) }
      clock.advance(by: .seconds(59))
      #expect(good.requests.isEmpty && manifests.requests.isEmpty)
      clock.advance(by: .seconds(1))
      return await round
    }
    #expect(round.keysets.names == ["2 timeout", "2 activated", "3 none"])
    #expect(round.names == ["activated"])
    for server in [slow, good, manifests] { await server.stop() }
  }

  @Test func `a mirror without a server is skipped`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let gone = try await ScriptedServer.mirror([:])
    await gone.stop()
    let good = try await ScriptedServer.mirror(scene.keysets.files(2...2))
    let round = try await scene.fetching([good.url()], keysets: [gone.keysets, good.keysets]) { await $0.fetch() }
    #expect(round.keysets.names == ["2 connection", "2 activated", "3 none"])
    await good.stop()
  }
}

extension Keysets {
  /// Version 2, from which the table starts, so that something lies below.
  fileprivate func secondFile() throws -> [UInt8] { try file(2, minimumSerial: 2) }
}
#endif
