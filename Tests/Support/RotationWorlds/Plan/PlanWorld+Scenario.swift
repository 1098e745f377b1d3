import PinFormat
import PinRotation
import PinValidator

extension PlanWorld {
  /// This world as the planner has it, with real manifests.
  package func question(_ forge: Forge) throws -> PlanQuestion {
    let scenario = try scenario(forge)
    var goal = RotationGoal(keySets: ["web"], target: Self.key(Self.target))
    goal.leaving = Self.keys.filter { leaving >> $0 & 1 != 0 }.map(PlainWorld.pin)
    return PlanQuestion(
      world: self, scenario: scenario, servers: Array(hosts.indices),
      pins: ([Self.otherKey] + Self.keys).map(PlainWorld.pin), tickLength: 1, origin: PlainWorld.instant(0)
    ) { bounds in
      goal.bounds = bounds
      return try RotationPlanner(scenario, goal: goal) { manifest throws(ManifestMakingError) in
        do { return try forge.manifest(manifest) } catch { throw ManifestMakingError("\(error)") }
      }.plan()
    }
  }

  private func scenario(_ forge: Forge) throws -> Scenario {
    var releases = try past.enumerated().map { number, release in
      ClientRelease(
        name: "serial \(number + 1)", serial: Int64(number + 1), issued: PlainWorld.instant(release.issued),
        origin: .released,
        manifest: try forge.manifest(
          manifest(release, pinsOther: number == past.count - 1 && bystander?.isInNewest ?? false)))
    }
    let policy = Past(issued: 0, keys: hosts.map { _ in self.policy }, wantsPair: wantsPair)
    releases.append(
      ClientRelease(
        name: "this policy", serial: nil, issued: PlainWorld.instant(0), origin: .candidate,
        manifest: try forge.manifest(manifest(policy, pinsOther: bystander != nil))))
    var servers = try hosts.enumerated().map { number, host in
      try Self.server(Self.name(number), host.chains, host.health, isAssumed: host.isAssumed)
    }
    if let bystander {
      let chain = [bystander.presentsItsKey ? Self.otherKey : 0]
      servers.append(try Self.server(Self.otherName, [chain], bystander.health, isAssumed: false))
    }
    return Scenario(
      now: PlainWorld.instant(0), end: PlainWorld.instant(1), window: Int64(window), releases: releases,
      servers: servers,
      standings: Dictionary(
        uniqueKeysWithValues: Self.keys.filter(isAuthority).map { (PlainWorld.pin($0), KeyStanding(.root)) }),
      judge: hasLimits ? LimitJudge(world: self) : PinsAlone())
  }

  private var hasLimits: Bool { limit != nil || past.contains { $0.limit != nil } }

  private static func key(_ number: Int) -> Manifest.Key {
    Manifest.Key(name: "key-\(number)", pin: PlainWorld.pin(number), position: nil, denied: nil)
  }

  private static func server(
    _ host: HostName, _ chains: [[Int]], _ health: Health, isAssumed: Bool
  ) -> Server {
    let landings = chains.map { chain in
      let pins = chain.map { $0 == 0 ? nil : PlainWorld.pin($0) }
      return switch health {
      case .fine: Landing(judged: .trusted(PresentedChain(pins)))
      case .excused(let until):
        Landing(judged: .trusted(PresentedChain(pins), until: TrustEnd(PlainWorld.instant(until), .exception)))
      case .failing: Landing(judged: .refused("it has expired", PresentedChain(pins)))
      case .failingWithoutEnd: Landing(judged: .refused("it leads to no anchor", PresentedChain(pins + [nil])))
      }
    }
    let phase = ServerPhase(
      begin: PlainWorld.instant(-100), source: isAssumed ? .assumed : .observed, views: [ClientView(landings: landings)]
    )
    return Server(host: host, port: 443, phases: [phase])
  }

  private static func name(_ number: Int) throws -> HostName { try HostName(canonicalising: "h\(number).test") }

  private static var otherName: HostName { get throws { try HostName(canonicalising: "other.test") } }

  /// Hosts with one set share it, as they do in the policy.
  private func manifest(_ release: Past, pinsOther: Bool) throws -> Manifest {
    let isShared = Set(release.keys).count == 1
    var keySets: [Manifest.KeySet] = []
    var entries: [Manifest.HostEntry] = []
    func pin(_ host: HostName, _ keySet: String) {
      entries.append(
        Manifest.HostEntry(
          host: host, port: nil, includeSubdomains: false, mode: .enforce, keySet: keySet,
          requirement: release.wantsPair ? .leafAndCA : .any, expires: release.unpinnedFrom.map(PlainWorld.instant),
          onExpiry: release.unpinnedFrom.map { _ in .unpinned }, reportURIs: [], trust: nil))
    }
    for (number, keys) in release.keys.enumerated() where keys != 0 {
      let name = isShared ? "web" : "web-\(number)"
      if !isShared || keySets.isEmpty {
        let members = Self.keys.filter { keys >> $0 & 1 != 0 }.map { "key-\($0)" }
        keySets.append(Manifest.KeySet(name: name, active: members, backup: []))
      }
      pin(try Self.name(number), name)
    }
    var used = Self.keys.filter { release.keys.reduce(0, |) >> $0 & 1 != 0 }
    if pinsOther {
      used.append(Self.otherKey)
      keySets.insert(Manifest.KeySet(name: "other", active: ["key-\(Self.otherKey)"], backup: []), at: 0)
      pin(try Self.otherName, "other")
    }
    let early = PlainWorld.instant(-1_000)
    return Manifest(
      audience: "plans", serial: 1, issued: early, refreshAfter: early,
      expires: PlainWorld.instant(release.staleFrom ?? 1_000_000),
      onStale: release.staleFrom == nil ? .enforce : .block, previous: nil,
      provenance: .init(
        sources: SHA256Digest(InlineArray<32, UInt8>(repeating: 0)), commit: nil, compiler: "rotation worlds"),
      unpinnedHosts: .allow, keys: used.map(Self.key), keySets: keySets, certificates: [], hosts: entries)
  }
}

/// What clients make of chains by the limits of a plain world alone.
private struct LimitJudge: ChainJudge {
  let world: PlanWorld

  /// A plan has a few releases more than the world.
  func releasesApart(at host: HostName, _ port: UInt16) -> [Int] { Array(0..<world.past.count + 4) }

  func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest? { nil }

  func trust(
    in chain: PresentedChain, _ setup: ServerSetup, at host: HostName, _ port: UInt16, byRelease number: Int?,
    without lost: Set<Pin>, on instant: Instant
  ) -> Landing.Trust {
    let keys = chain.pins.map { pin in PlanWorld.keys.first { PlainWorld.pin($0) == pin } ?? 0 }
    let limit = number.flatMap { $0 < world.past.count ? world.past[$0].limit : world.limit }
    return world.accepts(keys, limit)
      ? .trusted(chain)
      : .refused("it isn't an anchor", chain, failures: [TrustFailure(.unknownIssuer, "it isn't an anchor")])
  }
}
