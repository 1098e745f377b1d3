import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import Testing

/// Lives as releases and evidence show them.
struct KeyLivesTests {
  /// The keys 1 to 3, of which a release lists some.
  struct Listing: Sendable {
    var active: [UInt8] = []
    var backup: [UInt8] = []
    var denied: [UInt8] = []
  }

  /// A release each 30 days from 2026-01-01 on; now is 2026-12-01, and clients keep a release for 90 days.
  static func scenario(
    _ listings: [Listing], presented: [UInt8]? = nil, others: [UInt8]? = nil, onStale: ExpiryAction = .enforce
  ) throws -> Scenario {
    var releases: [ClientRelease] = []
    for (number, listing) in listings.enumerated() {
      let issued = SmallManifest.instant("2026-01-01").adding(seconds: Int64(number) * 30 * 86_400)
      var manifest = SmallManifest.manifest([try SmallManifest.entry("a.test")])
      manifest.issued = issued
      manifest.refreshAfter = issued.adding(seconds: 86_400)
      manifest.expires = issued.adding(seconds: 40 * 86_400)
      manifest.onStale = onStale
      let sure: [UInt8] = [9]
      manifest.keys = (listing.active + listing.backup + listing.denied + sure).sorted().map {
        SmallManifest.key("k\($0)", $0, denied: listing.denied.contains($0) ? "lost" : nil)
      }
      manifest.keySets = [
        Manifest.KeySet(
          name: "web", active: listing.active.map { "k\($0)" }, backup: (listing.backup + sure).map { "k\($0)" })
      ]
      releases.append(
        ClientRelease(
          name: "serial \(number + 1)", serial: Int64(number + 1), issued: issued, origin: .released,
          manifest: try Rehearsal().load(manifest)))
    }
    func server(_ host: String, _ presented: [UInt8]?) throws -> Server {
      let landing = Landing(judged: .trusted(PresentedChain((presented ?? [9]).map { SmallManifest.pin($0) })))
      return Server(
        host: try HostName(canonicalising: host), port: 443,
        phases: [
          ServerPhase(
            begin: SmallManifest.instant("2026-12-01"), source: presented == nil ? .assumed : .observed,
            views: [ClientView(landings: [landing])])
        ])
    }
    var servers = [try server("a.test", presented)]
    if let others { servers.append(try server("b.test", others)) }
    return Scenario(
      now: SmallManifest.instant("2026-12-01"), end: SmallManifest.instant("2027-12-01"), window: 90 * 86_400,
      releases: releases, servers: servers)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var releases: [Listing]
    var presented: [UInt8]?
    var served = false
    var status: KeyLifeState.Status
    var since: Int?
    var adopted: String?
    var retiredBy: Int?
    var keptUntil: String?
  }

  @Test(arguments: [
    Case(testDescription: "declared", releases: [Listing(active: [2])], status: .planned),
    Case(testDescription: "no release at all", releases: [], status: .planned),
    Case(
      testDescription: "published with the second release", releases: [Listing(active: [2]), Listing(backup: [1])],
      status: .published, since: 1, adopted: "2026-05-01"),
    Case(
      testDescription: "published with the first", releases: [Listing(backup: [1])], status: .published, since: 0,
      adopted: "2026-01-01"),
    Case(
      testDescription: "listed as active, and nobody looked", releases: [Listing(active: [1])], status: .active,
      since: 0, adopted: "2026-01-01"),
    Case(
      testDescription: "listed as active, and not presented", releases: [Listing(active: [1])], presented: [2],
      status: .published, since: 0, adopted: "2026-01-01"),
    Case(
      testDescription: "listed as active, not presented, and served by its owners' word",
      releases: [Listing(active: [1])], presented: [2], served: true, status: .retiring, since: 0,
      adopted: "2026-01-01"),
    Case(
      testDescription: "a backup that is presented", releases: [Listing(backup: [1])], presented: [1], status: .active,
      since: 0, adopted: "2026-01-01"),
    Case(
      testDescription: "active, then a backup", releases: [Listing(active: [1]), Listing(backup: [1])],
      presented: [2], status: .retiring, since: 0, adopted: "2026-01-01"),
    Case(
      testDescription: "dropped", releases: [Listing(active: [1]), Listing(active: [2])], status: .retired,
      retiredBy: 1, keptUntil: "2026-05-01"),
    Case(
      testDescription: "dropped, and presented all the same", releases: [Listing(active: [1]), Listing(active: [2])],
      presented: [1], status: .retired, retiredBy: 1, keptUntil: "2026-05-01"),
    Case(
      testDescription: "dropped and taken back",
      releases: [Listing(active: [1]), Listing(active: [2]), Listing(backup: [1])], status: .published, since: 2,
      adopted: "2026-05-31"),
    Case(
      testDescription: "denied", releases: [Listing(active: [1]), Listing(denied: [1])], status: .denied,
      retiredBy: 1, keptUntil: "2026-05-01"),
  ])
  func aKeysLife(_ example: Case) throws {
    let scenario = try Self.scenario(example.releases, presented: example.presented)
    let lives = KeyLives(of: [SmallManifest.pin(1)], in: scenario)
    let life = try #require(lives.life(of: SmallManifest.pin(1), hasBeenServed: example.served))
    #expect(life.status == example.status)
    #expect(life.publishedSince == example.since)
    #expect(life.adopted == example.adopted.map(SmallManifest.instant))
    #expect(life.retiredBy == example.retiredBy)
    #expect(life.keptUntil == example.keptUntil.map(SmallManifest.instant))
    #expect(life.deniedSince == (example.status == .denied ? example.releases.count - 1 : nil))
    #expect(life.presentedBy == (example.presented == [1] ? [0] : []))
  }

  /// Clients that refuse stale manifests give a release up when it expires.
  @Test func refusedStaleManifestsEndEarlier() throws {
    let scenario = try Self.scenario([Listing(active: [1]), Listing(active: [2])], onStale: .block)
    let life = try #require(KeyLives(of: [SmallManifest.pin(1)], in: scenario).life(of: SmallManifest.pin(1)))
    #expect(life.keptUntil == SmallManifest.instant("2026-02-10"))
  }

  @Test func aKeySetAloneIsAskedAbout() throws {
    let scenario = try Self.scenario([Listing(active: [1])], presented: [1])
    let pin = SmallManifest.pin(1)
    #expect(KeyLives(of: [pin], in: scenario, keySet: "web").life(of: pin)?.status == .active)
    #expect(KeyLives(of: [pin], in: scenario, keySet: "other").life(of: pin)?.status == .planned)
    #expect(KeyLives(of: [pin], in: scenario, keySet: "other").life(of: pin)?.presentedBy == [])
    #expect(KeyLives(of: [], in: scenario).life(of: pin) == nil)
  }

  /// A server that no release holds to the key may present it too, and is worth knowing of.
  @Test func everyServerThatPresentsItIsNamed() throws {
    let scenario = try Self.scenario([Listing(active: [1])], presented: [2, 1], others: [1])
    let life = try #require(KeyLives(of: [SmallManifest.pin(1)], in: scenario).life(of: SmallManifest.pin(1)))
    #expect(life.presentedBy == [0, 1])
    #expect(life.isObserved)
  }
}
