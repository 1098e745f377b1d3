import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

/// What all rules about rotation stand on: worked out once for a check.
package struct RotationFacts: Sendable {
  let input: CheckInput
  let rotation: RotationInput
  let causes: LockoutCauses
  /// What the policy calls each pin, or else what the newest release that has it does.
  let names: [Pin: String]
  /// The policy's release, by its index in the scenario; nil in a scenario without one.
  let candidate: Int?
  /// What governs a host in the newest release.
  let before: ManifestHosts
  /// The host entries of the policy by label: their indices in ``Policy/hosts``.
  let entries: [String: Int]
  /// The keys of the policy by pin: the first index in ``Policy/keys``.
  let keyNumbers: [Pin: Int]
  /// Every lockout, in the group in which it is told.
  private(set) var groups: [LockoutGroup] = []

  init(_ input: CheckInput, _ rotation: RotationInput) {
    self.input = input
    self.rotation = rotation
    causes = LockoutCauses(rotation.scenario)
    candidate = rotation.scenario.releases.firstIndex { $0.origin == .candidate }
    names = Self.names(input.policy, rotation.scenario)
    before = ManifestHosts(rotation.newest)
    entries = Dictionary(input.policy.hosts.enumerated().map { ($1.label, $0) }) { first, _ in first }
    keyNumbers = Dictionary(input.policy.keys.enumerated().compactMap { number, key in key.pin.map { ($0, number) } }) {
      first, _ in first
    }
    groups = LockoutGroup.all(rotation.lockouts, self)
  }

  var scenario: Scenario { rotation.scenario }
  var policy: Policy { input.policy }

  func groups(_ kind: LockoutKind) -> [LockoutGroup] { groups.filter { $0.kind == kind } }

  private static func names(_ policy: Policy, _ scenario: Scenario) -> [Pin: String] {
    var names: [Pin: String] = [:]
    for key in policy.keys {
      if let pin = key.pin, names[pin] == nil { names[pin] = key.name.value }
    }
    for release in scenario.releases.reversed() {
      let tables = release.manifest.tables
      for number in tables.keys.indices {
        let pin = tables.pin(ofKey: number)
        if names[pin] == nil { names[pin] = tables.name(ofKey: number) }
      }
    }
    return names
  }
}

extension RotationFacts {
  /// The chain that a lockout's clients are shown.
  func chain(of lockout: Lockout) -> PresentedChain { causes.landing(of: lockout).trust.chain }

  func phase(of lockout: Lockout) -> ServerPhase { scenario.servers[lockout.server].phases[lockout.phase] }

  /// The keys that a lockout is about, in the order of the chain.
  func keys(of lockout: Lockout, _ cause: LockoutCause) -> [Pin] {
    let chain = chain(of: lockout)
    func shown(in release: Int?) -> [Pin] {
      guard let release, let accepted = acceptedKeys(ofRelease: release, server: lockout.server) else { return [] }
      return chain.pins.compactMap { $0 }.filter { accepted.contains($0) }
    }
    switch cause {
    case .pinRemoved, .removedTooEarly, .disjoint:
      return shown(in: lockout.release > 0 ? lockout.release - 1 : nil)
    case .notYetPublished(let first):
      let keys = shown(in: first ?? candidate)
      return keys.isEmpty ? chain.pins.compactMap { $0 }.filter { names[$0] != nil } : keys
    case .denied:
      guard case .verdict(.deniedKey(let match)) = lockout.obstacle, let pin = chain.pins[match.certificate] else {
        return []
      }
      return [pin]
    case .newlyEnforced, .expired, .untrusted, .exceptionEnded, .unpinnedDenied, .other: return []
    }
  }

  /// The keys that a release holds a server to; nil where it doesn't hold it to any.
  func acceptedKeys(ofRelease release: Int, server number: Int) -> Set<Pin>? {
    let server = scenario.servers[number]
    return acceptedKeys(ofRelease: release, host: server.host, port: server.port)
  }

  func acceptedKeys(ofRelease release: Int, host: HostName, port: UInt16) -> Set<Pin>? {
    let keys = scenario.releases[release].manifest.entryKeys(host: host.text, port: port)
    return keys.isEmpty ? nil : Set(keys.map(\.pin))
  }
}
