package import PinFormat
package import PinRotation

extension PlainWorld {
  /// Makes the same world for the engine, with real manifests.
  ///
  /// - Parameter forge: Who makes the manifests.
  /// - Returns: The scenario.
  /// - Throws: What the validator says of a manifest that it doesn't take.
  package func scenario(_ forge: Forge) throws -> Scenario {
    let releases = try releases.enumerated().map { number, release in
      ClientRelease(
        name: "release \(number)", serial: release.origin == .released ? Int64(number + 1) : nil,
        issued: Self.instant(release.issued), origin: release.origin.inTheModel,
        manifest: try forge.manifest(release.manifest(expires: release.expires ?? end + window + 1_000_000)))
    }
    return Scenario(
      now: Self.instant(now), end: Self.instant(end), window: Int64(window), releases: releases,
      servers: try servers.map { try $0.inTheModel() },
      standings: Dictionary(
        uniqueKeysWithValues: issuers.map { key, paths in
          (Self.pin(key), KeyStanding(.intermediate, issuers: paths.map { $0.map(Self.pin) }))
        }))
  }

  /// The instant of a tick: a second each, from some day on.
  package static func instant(_ tick: Int) -> Instant { Instant(secondsSinceEpoch: 1_800_000_000 + Int64(tick)) }

  /// The tick of an instant.
  package static func tick(_ instant: Instant) -> Int { Int(instant.secondsSinceEpoch - 1_800_000_000) }

  /// The pin of a key: 32 times its number.
  package static func pin(_ key: Int) -> Pin {
    Pin(SHA256Digest(InlineArray<32, UInt8>(repeating: UInt8(key))))
  }
}

extension PlainRelease {
  /// What it says, as a manifest; each entry has a key set of its own.
  func manifest(expires: Int) -> Manifest {
    var keys: [Manifest.Key] = []
    var keySets: [Manifest.KeySet] = []
    var hosts: [Manifest.HostEntry] = []
    for entry in entries {
      let label = entry.port.map { "\(entry.host):\($0)" } ?? entry.host
      guard let host = try? HostName(canonicalising: entry.host) else {
        preconditionFailure("\(entry.host) is no host")
      }
      func name(_ key: PlainKey) -> String { "\(entry.host)-\(entry.port ?? 0)-\(key.number)" }
      if entry.mode != .off {
        for key in entry.keys {
          keys.append(.init(name: name(key), pin: PlainWorld.pin(key.number), position: key.position, denied: nil))
        }
        keySets.append(
          .init(
            name: "host:" + label, active: entry.keys.filter { !$0.isBackup }.map(name).sorted(),
            backup: entry.keys.filter(\.isBackup).map(name).sorted()))
      }
      hosts.append(
        .init(
          host: host, port: entry.port.map { UInt16($0) }, includeSubdomains: entry.subdomains, mode: entry.mode,
          keySet: entry.mode == .off ? nil : "host:" + label, requirement: entry.requirement,
          expires: entry.expires.map(PlainWorld.instant), onExpiry: entry.onExpiry, reportURIs: [], trust: nil))
    }
    for key in denied {
      keys.append(.init(name: "denied-\(key)", pin: PlainWorld.pin(key), position: nil, denied: "lost"))
    }
    let first = min(issued, expires)
    return Manifest(
      audience: "worlds", serial: 1, issued: PlainWorld.instant(first), refreshAfter: PlainWorld.instant(first),
      expires: PlainWorld.instant(expires), onStale: onStale, previous: nil,
      provenance: .init(
        sources: SHA256Digest(InlineArray<32, UInt8>(repeating: 0)), commit: nil, compiler: "rotation worlds"),
      unpinnedHosts: deniesUnpinned ? .deny : .allow, keys: keys.sorted { $0.name < $1.name },
      keySets: keySets.sorted { $0.name < $1.name }, certificates: [], hosts: hosts.sortedByHost())
  }
}

extension PlainRelease.Origin {
  var inTheModel: ClientRelease.Origin {
    switch self {
    case .released: .released
    case .candidate: .candidate
    case .planned: .planned
    }
  }
}

extension PlainServer {
  package func inTheModel() throws -> Server {
    Server(
      host: try HostName(canonicalising: host), port: UInt16(port),
      phases: phases.map { phase in
        ServerPhase(
          begin: PlainWorld.instant(phase.begin), source: phase.source.inTheModel, isUncertain: phase.isUncertain,
          views: phase.views.map { ClientView(kind: $0.kind, landings: $0.landings.map(\.inTheModel)) })
      })
  }
}

extension PlainPhase.Source {
  var inTheModel: ServerPhase.Source {
    switch self {
    case .observed: .observed
    case .assumed: .assumed
    case .planned: .planned
    case .afterLoss: .afterLoss
    }
  }
}

extension PlainLanding {
  var inTheModel: Landing {
    switch self {
    case .refused(let keys): Landing(judged: .refused("the certificate has expired", Self.chain(keys)))
    case .chain(let keys, let until):
      Landing(
        judged: .trusted(Self.chain(keys), until: until.map { TrustEnd(PlainWorld.instant($0), .exception) }))
    }
  }

  private static func chain(_ keys: [Int]) -> PresentedChain {
    PresentedChain(keys.map { $0 == 0 ? nil : PlainWorld.pin($0) })
  }
}
