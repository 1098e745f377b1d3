import PinFormat
package import PinRotation
import PinValidator

extension PlanWorld {
  /// The planner for this world, with real manifests.
  package func planner(_ forge: Forge) throws -> RotationPlanner {
    var releases = try past.enumerated().map { number, past in
      ClientRelease(
        name: "serial \(number + 1)", serial: Int64(number + 1), issued: PlainWorld.instant(past.issued),
        origin: .released, manifest: try forge.manifest(manifest(past)))
    }
    let candidate = try forge.manifest(manifest(Past(issued: 0, keys: hosts.map { _ in policy })))
    releases.append(
      ClientRelease(
        name: "this policy", serial: nil, issued: PlainWorld.instant(0), origin: .candidate, manifest: candidate))
    let scenario = Scenario(
      now: PlainWorld.instant(0), end: PlainWorld.instant(1), window: Int64(window), releases: releases,
      servers: try hosts.indices.map { try server($0) })
    var goal = RotationGoal(keySets: ["web"], target: Self.key(Self.target))
    goal.leaving = Self.keys.filter { leaving >> $0 & 1 != 0 }.map(PlainWorld.pin)
    return RotationPlanner(scenario, goal: goal) { manifest throws(ManifestMakingError) in
      do { return try forge.manifest(manifest) } catch { throw ManifestMakingError("\(error)") }
    }
  }

  private static func key(_ number: Int) -> Manifest.Key {
    Manifest.Key(name: "key-\(number)", pin: PlainWorld.pin(number), position: nil, denied: nil)
  }

  private func server(_ number: Int) throws -> Server {
    let host = hosts[number]
    let landings = host.leaves.map { leaf in
      Landing(
        trust: .trusted(
          PresentedChain(([leaf] + (host.above.map { [$0] } ?? [])).map { $0 == 0 ? nil : PlainWorld.pin($0) })))
    }
    let phase = ServerPhase(
      begin: PlainWorld.instant(-100), source: host.isAssumed ? .assumed : .observed,
      views: [ClientView(landings: landings)])
    return Server(host: try Self.name(number), port: 443, phases: [phase])
  }

  private static func name(_ number: Int) throws -> HostName { try HostName(canonicalising: "h\(number).test") }

  /// Hosts with one set share it, as they do in the policy.
  private func manifest(_ release: Past) throws -> Manifest {
    let isShared = Set(release.keys).count == 1
    var keySets: [Manifest.KeySet] = []
    var entries: [Manifest.HostEntry] = []
    for (number, keys) in release.keys.enumerated() where keys != 0 {
      let name = isShared ? "web" : "web-\(number)"
      if !isShared || keySets.isEmpty {
        let members = Self.keys.filter { keys >> $0 & 1 != 0 }.map { "key-\($0)" }
        keySets.append(Manifest.KeySet(name: name, active: members, backup: []))
      }
      entries.append(
        Manifest.HostEntry(
          host: try Self.name(number), port: nil, includeSubdomains: false, mode: .enforce, keySet: name,
          requirement: wantsPair ? .leafAndCA : .any, expires: release.unpinnedFrom.map(PlainWorld.instant),
          onExpiry: release.unpinnedFrom.map { _ in .unpinned }, reportURIs: [], trust: nil))
    }
    let used = release.keys.reduce(0, |)
    let early = PlainWorld.instant(-1_000)
    return Manifest(
      audience: "plans", serial: 1, issued: early, refreshAfter: early,
      expires: PlainWorld.instant(release.staleFrom ?? 1_000_000),
      onStale: release.staleFrom == nil ? .enforce : .block, previous: nil,
      provenance: .init(
        sources: SHA256Digest(InlineArray<32, UInt8>(repeating: 0)), commit: nil, compiler: "rotation worlds"),
      unpinnedHosts: .allow, keys: Self.keys.filter { used >> $0 & 1 != 0 }.map(Self.key), keySets: keySets,
      certificates: [], hosts: entries)
  }
}

extension RotationPlan {
  /// The plan's steps in the words of a plain world; nil where one isn't like them.
  package var plainSteps: [DatedStep]? {
    var steps: [DatedStep] = []
    for step in self.steps {
      let tick = PlainWorld.tick(step.earliest)
      switch step.action {
      case .release(let release):
        guard let keySet = release.keySets.first, release.keySets.count == 1 else { return nil }
        steps.append(DatedStep(.release(keySet.keys.reduce(0) { $0 | 1 << Int($1.pin.digest[0]) }), at: tick))
      case .serve(let change):
        let hosts = change.servers.reduce(0) { $0 | 1 << $1 }
        steps.append(DatedStep(.serve(hosts: hosts, key: Int(change.key.pin.digest[0])), at: tick))
      }
    }
    return steps
  }
}
