import Diagnostics
import Pages
import PinFormat
import PinRotation
import PinValidator
import RotationWorlds

/// A scenario to be drawn: releases, servers and their certificates, put together by hand.
struct Scene {
  var releases: [ClientRelease] = []
  var servers: [Server] = []
  var certificates: [CertificateSpan] = []
  var steps: [PlannedStep] = []
  var futures: [Future] = []
  var now = at("2026-11-21")
  var end = at("2027-08-18")
  var window: Int64 = 90 * 86_400
  var assumptions = [
    RotationPage.Assumption("Adoption window", "90 days"),
    RotationPage.Assumption("Servers", "by evidence of 2026-11-20T09:00:00Z"),
    RotationPage.Assumption("Releases", "go on: the policy is released again before it is stale"),
  ]
  let forge: Forge

  init() throws { forge = try Forge() }

  static func at(_ text: String) -> Instant { Instant(written: text) ?? .latest }

  static func pin(_ name: String) -> Pin {
    // A fixed number for each name, so that the page has the same bytes on every machine.
    let number = name.utf8.reduce(UInt8(7)) { $0 &* 31 &+ $1 }
    return Pin(SHA256Digest(InlineArray<32, UInt8>(repeating: number)))
  }

  static func entry(
    _ host: String, _ keySet: String, mode: Mode = .enforce, expires: String? = nil,
    then action: ExpiryAction = .enforce
  ) throws -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: try HostName(canonicalising: host), port: nil, includeSubdomains: false, mode: mode, keySet: keySet,
      requirement: .any, expires: expires.map(at), onExpiry: expires == nil ? nil : action, reportURIs: [], trust: nil)
  }

  mutating func release(
    _ name: String, serial: Int64?, _ origin: ClientRelease.Origin, issued: String, expires: String = "2030-01-01",
    onStale: ExpiryAction = .enforce, keySets: [String: [String]], denied: [String: String] = [:],
    _ hosts: [Manifest.HostEntry]
  ) throws {
    let names = Set(keySets.values.joined()).union(denied.keys).sorted()
    let manifest = Manifest(
      audience: "production", serial: serial ?? 99, issued: Self.at(issued), refreshAfter: Self.at(issued),
      expires: Self.at(expires), onStale: onStale, previous: nil,
      provenance: Manifest.Provenance(
        sources: SHA256Digest(InlineArray<32, UInt8>(repeating: 0)), commit: nil, compiler: "pintle test"),
      unpinnedHosts: .allow,
      keys: names.map { Manifest.Key(name: $0, pin: Self.pin($0), position: nil, denied: denied[$0]) },
      keySets: keySets.keys.sorted().map { Manifest.KeySet(name: $0, active: keySets[$0]?.sorted() ?? [], backup: []) },
      certificates: [], hosts: hosts.sortedByHost())
    releases.append(
      ClientRelease(
        name: name, serial: serial, issued: Self.at(issued), origin: origin, manifest: try forge.manifest(manifest)))
  }

  /// A server that shows a leaf below an authority, and what it changes to.
  mutating func server(
    _ host: String, leaf: String, authority: String? = nil, then changes: [(String, String)] = [],
    certificate: (String, String) = ("2026-10-01", "2027-01-15")
  ) throws {
    func phase(_ leaf: String, from instant: String, _ source: ServerPhase.Source) -> ServerPhase {
      let chain = PresentedChain([Self.pin(leaf), authority.map(Self.pin)])
      return ServerPhase(
        begin: Self.at(instant), source: source,
        views: [ClientView(landings: [Landing(place: "192.0.2.10 ECDSA", judged: .trusted(chain))])])
    }
    servers.append(
      Server(
        host: try HostName(canonicalising: host), port: 443,
        phases: [phase(leaf, from: "2026-01-01", .observed)] + changes.map { phase($0.1, from: $0.0, .planned) }))
    certificates.append(
      CertificateSpan(
        server: servers.count - 1, role: .leaf, name: host, begin: Self.at(certificate.0), end: Self.at(certificate.1)))
    if let authority {
      certificates.append(
        CertificateSpan(
          server: servers.count - 1, role: .root, name: authority, begin: Self.at("2020-01-01"),
          end: Self.at("2035-01-01")))
    }
  }

  /// The page of it.
  func page() -> RotationPage {
    let scenario = Scenario(now: now, end: end, window: window, releases: releases, servers: servers)
    let timeline = SimulationTimeline(playing: scenario, certificates: certificates, steps: steps)
    let witness = timeline.first.map { number in
      let lockout = timeline.lockouts[number].lockout
      let release = lockout.release
      return Witness(
        client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
        host: lockout.server.label, instant: "\(lockout.begin)", until: lockout.end.map { "\($0)" },
        place: "192.0.2.10 ECDSA",
        chain: [Witness.Link(position: "leaf", pin: "\(Self.pin("spare"))", name: "spare")],
        reason: "none of the entry's pins matches the validated chain")
    }
    return RotationPage(
      timeline: timeline, certificates: certificates, losses: LossAnalysis(scenario).losses(), futures: futures,
      assumptions: assumptions, witness: witness, tool: "pintle 0.1.0")
  }
}
