import PinExchange
import PinFormat
import TestSupport
import Testing

/// What is advised about losses can succeed.
struct WayOutTests {
  private static let settings = ExportSettings(
    at: PinListScene.instant, [.trustedCA: "/etc/ssl/certs/ca-certificates.crt"])

  private static func wayOut(_ list: PinList, _ format: ExportFormat) throws -> WayOut {
    let unfit = try #require(throws: UnfitPinList.self) { try list.fitted(to: format, accepting: []) }
    return list.wayOut(of: unfit, to: format, accepting: []) { fitted throws(ExchangeError) in
      try format.write(fitted, settings)
    }
  }

  /// Whatever is advised, of whatever list and in whatever format, the export then succeeds.
  @Test(arguments: ExportFormat.all.map(\.name))
  func whatIsAdvisedSucceeds(_ name: String) throws {
    let format = try #require(ExportFormat.all.first { $0.name == name })
    var advised = 0
    for seed in 0..<Thoroughness.pick(25, full: 60) {
      let list = try PinListScene.random(seed)
      guard (try? list.fitted(to: format, accepting: [])) == nil else { continue }
      guard case .accept(let features) = try Self.wayOut(list, format) else { continue }
      advised += 1
      let files = try format.write(list.fitted(to: format, accepting: Set(features)), Self.settings)
      #expect(!files.isEmpty)
    }
    #expect(advised > 0)
  }

  @Test func aRefusedFeatureIsNoMatterOfAccepting() throws {
    var list = try PinListScene.small()
    list.hosts.append(try PinListScene.host("v1.api.example.com"))
    #expect(try Self.wayOut(list, .okHttpKotlin) == .none("'nested-entries' can't be accepted"))
  }

  @Test func nothingIsLeft() throws {
    var list = try PinListScene.small(subdomains: .none)
    for number in list.hosts.indices { list.hosts[number].mode = .reportOnly }
    #expect(try Self.wayOut(list, .android) == .none("no host would be left to pin"))
  }

  /// Only the keys of CAs: curl compares the leaf's.
  @Test func noKeyIsLeft() throws {
    let list = try PinListScene.small(.certificateAuthority, subdomains: .none)
    #expect(try Self.wayOut(list, .curl) == .none("'api.example.com' would have no key left"))
  }

  /// What the format itself rejects is reported too.
  @Test func theWriterRefuses() throws {
    var list = try PinListScene.small()
    list.hosts[0].host = try HostName(canonicalising: "api.internal-only")
    list.hosts[0].reportURIs = []
    list.hosts[0].port = 8443
    guard case .none(let reason) = try Self.wayOut(list, .trustKitIOS) else {
      Issue.record("accepting was advised")
      return
    }
    #expect(reason.hasPrefix("TrustKit stops an app that pins 'api.internal-only'"))
  }
}
