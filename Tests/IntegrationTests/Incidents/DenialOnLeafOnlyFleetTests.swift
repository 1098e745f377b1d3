import PinFormat
import PinValidator
import TestSupport
import Testing

/// An intermediate was broken into, and a part of the fleet sees nothing but leaves.
struct DenialOnLeafOnlyFleetTests {
  private static let incident = Incident(name: "authority-broken-into", day: "2025-04-28")

  /// Before the release, diff warns about clients that it doesn't protect, and doesn't fail.
  @Test func theDiffSaysWhatTheReleaseCannotDo() throws {
    let answer = try Self.incident.diff("denied")
    #expect(answer.status == 0)
    #expect(answer.document.verdict == "safe-with-warnings")
    #expect(answer.document.findings.map(\.code) == ["P618"])
    #expect(
      answer.document.findings.first?.message
        == "leaf-only clients can't enforce the denial of 'issuing-11' above the leaf")
  }

  /// After the release every client goes on, and who sees the chain refuses what the thieves issue.
  @Test func theFleetGoesOnAndCounts() throws {
    let releases = try Releases()
    let now = try #require(Instant(written: "2025-04-28"))
    var settings = PinStoreSettings(signers: releases.signers, audience: "production", withoutManifest: .block)
    settings.clock = { now }
    settings.anchors = try TrustAnchors([try Self.incident.read("root.pem")])
    settings.embedded = try releases.build("policies", serial: 4)
    let served = try Self.incident.certificates("served.pem")
    let misissued = try Self.incident.certificates("misissued.pem")
    let store = PinStore(settings)
    func ask(_ chain: [[UInt8]], _ transport: TransportValidation) -> String {
      let decision = store.evaluate(
        PeerHandshake(host: "api.example.com", port: 443, certificates: chain, tlsVersion: .tls13),
        transport: transport)
      let events = decision.verdict.context.events.names
      return ([decision.verdict.reasonCode] + events).joined(separator: " ")
    }
    func answers() -> [String] {
      [
        ask(served, .replaced), ask(Array(served.prefix(1)), .leafOnly), ask(misissued, .replaced),
        ask(Array(misissued.prefix(1)), .leafOnly), ask(misissued, .leafOnly),
      ]
    }
    #expect(answers() == ["matched", "matched", "matched", "matched", "matched"])
    // Recently allowed chains don't block the release.
    try store.update(releases.build("denied", serial: 5))
    #expect(
      answers() == [
        "matched", "matched denials-leaf-only", "denied-key denied-key", "matched denials-leaf-only",
        "denied-key denied-key",
      ])
    #expect(store.validator?.manifest.deniedKeysAboveLeaf == ["issuing-11"])
  }
}

/// Signs the incident's policies with a key of its own: that of the fixture wasn't kept.
private struct Releases {
  let signers: TrustedSigners
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    _ = try runSuccessfully(toolPath, ["key", directory.path("release")])
    signers = try TrustedSigners(publicKeys: [directory.read("release.pub")], threshold: 1)
  }

  func build(_ policy: String, serial: Int) throws -> [UInt8] {
    let file = directory.path("\(serial).json")
    _ = try runSuccessfully(
      toolPath,
      [
        "build", Incident.folder("authority-broken-into") + "/" + policy, "-o", file, "--sign-key",
        directory.path("release"), "--serial", "\(serial)", "--issued-at", "2025-04-28",
      ])
    return try readFile(file)
  }
}

extension Incident {
  fileprivate func read(_ file: String) throws -> [UInt8] { try readFile(Self.folder(name) + "/" + file) }

  /// The certificates of a PEM file, DER.
  fileprivate func certificates(_ file: String) throws -> [[UInt8]] {
    let end = "-----END CERTIFICATE-----"
    return try String(decoding: read(file), as: UTF8.self).split(separator: end).filter { $0.contains("BEGIN") }
      .map { try der(ofPEM: Array(($0 + end).utf8)) }
  }
}
