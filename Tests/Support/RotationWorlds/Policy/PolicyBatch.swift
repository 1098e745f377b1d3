import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import TestSupport

/// Many worlds in one policy, each with hosts and keys of its own, so that it is read, signed and loaded once for all.
///
/// All of them have as many releases, as old, and evidence of one kind.
struct PolicyBatch {
  let worlds: [PolicyWorld]
  let keys: [[Pin]]

  init(_ worlds: [PolicyWorld]) throws {
    self.worlds = worlds
    var chance = SeededGenerator(seed: UInt64(worlds.count))
    func pin() throws -> Pin { Pin(try SHA256Digest(SHA256.digest(of: chance.bytes(32)))) }
    let observed = worlds.first?.evidence == .observed ? try ObservedChain.pins() : []
    keys = try worlds.map { _ in [try pin(), try observed.first ?? pin(), try observed.last ?? pin()] }
  }

  /// What the compiler says of each world: its servers by host, each with what it presents as time goes on.
  func servers() throws -> [[Int: [PolicyPhase]]] {
    let scenario = try built().world.scenario
    let byName = Dictionary(uniqueKeysWithValues: scenario.servers.map { ($0.host.text, $0) })
    return worlds.indices.map { number in
      var servers: [Int: [PolicyPhase]] = [:]
      for host in 0...1 {
        servers[host] = byName[Self.host(host, of: number)]?.phases.map { plain($0, of: number) }
      }
      return servers
    }
  }

  /// All worlds in the terms of the model, and the policy that they were built of.
  func built() throws -> (world: RotationWorld, policy: Policy) {
    let releases = try (0..<(worlds.first?.releases.count ?? 0)).map(released)
    var question = RotationQuestion(
      policy: try Self.checked(text(\.policy, hasWords: true), at: 0), released: releases, now: Self.instant(0))
    question.evidence = try evidence()
    for (number, world) in worlds.enumerated() {
      for change in world.changes {
        question.serverChanges.append(
          RotationQuestion.ServerChange(
            host: try HostName(canonicalising: Self.host(change.host, of: number)), port: nil,
            keys: change.keys.map { $0 == 0 ? "unknown" : Self.key($0, of: number) },
            instant: Self.instant(change.tick)))
      }
    }
    return (try RotationWorld.build(question, compiler: "policy worlds"), question.policy.policy)
  }

  private func plain(_ phase: ServerPhase, of number: Int) -> PolicyPhase {
    let chains = phase.views.flatMap(\.landings).map { landing in
      landing.trust.chain.pins.map { pin in
        guard let pin else { return 0 }
        return keys[number].firstIndex(of: pin).map { $0 + 1 } ?? PolicyWorld.observedIntermediate
      }
    }
    return PolicyPhase(
      begin: Self.tick(phase.begin), isPlanned: phase.source == .planned, isUncertain: phase.isUncertain,
      chains: Set(chains))
  }

  // MARK: Names and dates

  /// A day each.
  static func instant(_ tick: Int) -> Instant { Instant(secondsSinceEpoch: (20_778 + Int64(tick)) * 86_400) }

  private static func tick(_ instant: Instant) -> Int { Int(instant.secondsSinceEpoch / 86_400 - 20_778) }

  static func host(_ host: Int, of number: Int) -> String { (host == 0 ? "" : "a.") + "w\(number).example.com" }

  static func key(_ key: Int, of number: Int) -> String { "w\(number)-\(key)" }

  // MARK: Releases and evidence

  /// A release that is out, as of the date that all of its kind have.
  private func released(_ index: Int) throws -> ReleasedManifest {
    let age = worlds.first?.isFirstForgotten ?? false ? 100 : 20
    let tick = -age * ((worlds.first?.releases.count ?? 0) - index)
    let manifest = try Self.checked(text(\.releases[index], hasWords: false), at: tick).lowered(
      as: Release(
        serial: Int64(index + 1), issued: Self.instant(tick), previous: nil, commit: nil, compiler: "policy worlds"))
    let loaded = try Rehearsal().load(manifest)
    return ReleasedManifest(
      name: "serial \(index + 1)", serial: Int64(index + 1), issued: Self.instant(tick),
      digest: try loaded.signedDigest(), loaded: loaded)
  }

  private static func checked(_ text: String, at tick: Int) throws -> CheckedPolicy {
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array(text.utf8))])
    let files = FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("there are no files") }
    let policy = try Resolver.resolve(PolicyReader.read(sources), files: files)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: instant(tick)))
    guard let checked = outcome.checked else {
      throw UncheckedWorld(errors: outcome.result.diagnostics.filter { $0.severity == .error }.map(\.message))
    }
    return checked
  }

  private func evidence() throws -> Evidence? {
    guard let kind = worlds.first?.evidence, kind != .none else { return nil }
    let hosts = try worlds.indices.map { try HostName(canonicalising: Self.host(kind == .observed ? 0 : 1, of: $0)) }
    return try ObservedChain.evidence(of: hosts.sorted(), areSilent: kind == .silent, at: Self.instant(-1))
  }
}

/// A world that isn't a policy without errors: the enumeration should not have it.
struct UncheckedWorld: Error {
  var errors: [String]
}
