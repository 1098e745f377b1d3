import Diagnostics
import OpenSSLKit
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
  /// The certificates of the newest release and the policy.
  private let carried: Lazily<[SHA256Digest: [UInt8]]>
  private let known: Lazily<KnownCertificates>
  /// Those of which the newest release excuses a failure.
  private let excused: Lazily<Set<SHA256Digest>>
  /// Every lockout, in the group in which it is reported.
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
    known = Lazily {
      rotation.certificates
        ?? KnownCertificates(
          input.policy, rotation.scenario.releases.map(\.manifest), nil, input.live?.assessment)
    }
    carried = Lazily {
      Dictionary((rotation.newest.certificates + input.policy.certificates).map { ($0.fingerprint, $0.der) }) {
        first, _ in first
      }
    }
    excused = Lazily { Set(rotation.newest.hosts.flatMap { $0.trust?.exceptions ?? [] }.map(\.certificate)) }
    groups = LockoutGroup.all(rotation.lockouts, self)
  }

  /// The certificates that the policy's files, the releases and the evidence have.
  package var certificates: KnownCertificates { known.value }

  /// A certificate of the newest release or the policy, by how a change of trust names it.
  func certificate(named word: String) -> Certificate? {
    guard word.hasPrefix("sha256:"), let fingerprint = SHA256Digest(hex: word.utf8.dropFirst(7)) else { return nil }
    return carried.value[fingerprint].flatMap { try? Certificate(der: $0) }
  }

  /// Whether the newest release excuses a failure of a certificate.
  func isExcused(_ certificate: Certificate) -> Bool {
    excused.value.contains(SHA256Digest(certificate.fingerprint))
  }

  var scenario: Scenario { rotation.scenario }
  var policy: Policy { input.policy }

  /// How to get the evidence that a finding lacks.
  var recordingHelp: String {
    "Record what the servers present: pintle probe \(policy.sources.folder) --record fleet.json; then add --evidence "
      + "fleet.json."
  }

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
  /// The keys that a lockout is about, in the order of the chain.
  func keys(of lockout: Lockout, _ cause: LockoutCause) -> [Pin] {
    let chain = lockout.landing.trust.chain
    func shown(in release: Int?) -> [Pin] {
      guard let release, let accepted = acceptedKeys(ofRelease: release, lockout.server.part) else { return [] }
      return chain.pins.compactMap { $0 }.filter { accepted.contains($0) }
    }
    switch cause {
    case .pinRemoved, .removedTooEarly, .disjoint:
      return shown(in: lockout.release.number > 0 ? lockout.release.number - 1 : nil)
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
  func acceptedKeys(ofRelease release: Int, _ server: Server) -> Set<Pin>? {
    acceptedKeys(ofRelease: release, host: server.host, port: server.port)
  }

  func acceptedKeys(ofRelease release: Int, host: HostName, port: UInt16) -> Set<Pin>? {
    let keys = scenario.releases[release].manifest.entryKeys(host: host.text, port: port)
    return keys.isEmpty ? nil : Set(keys.map(\.pin))
  }
}

extension RotationFacts {
  /// A finding about a group of lockouts, with its witness and where its keys are declared.
  func finding(_ group: LockoutGroup, _ message: String, help: String) -> Finding {
    let related = group.keys.prefix(3).compactMap { pin -> Diagnostic.Related? in
      guard let key = key(pin), key.name.place != group.place else { return nil }
      return Diagnostic.Related("'\(key.name.value)' is this key", at: key.name.place)
    }
    return Finding(at: group.place, message, related: related, help: help, witness: witness(group))
  }
}

extension RotationFacts {
  /// The entry of the policy that governs a server.
  func entry(of server: Server) -> Policy.HostEntry? {
    input.hostIndex.governing(server.host, port: server.port).map { policy.hosts[$0] }
  }

  /// The key set that the policy holds a server to.
  func keySet(of server: Server) -> Policy.KeySet? {
    entry(of: server)?.keySet.map { policy.keySets[$0.value] }
  }

  /// Where findings about the whole release stand: `manifest:`, or else the beginning of the first file.
  var releasePlace: Place { policy.settings?.place ?? Place.beginning(of: FileID(0)) }

  /// The policy's key with a pin.
  func key(_ pin: Pin) -> Policy.Key? { keyNumbers[pin].map { policy.keys[$0] } }

  /// Where the policy says what a lockout comes from.
  func place(of lockout: Lockout, _ cause: LockoutCause, _ keys: [Pin]) -> Place {
    guard let entry = entry(of: lockout.server.part) else { return releasePlace }
    let set = entry.keySet.map { policy.keySets[$0.value] }
    let keysPlace = set?.place ?? entry.written.place
    switch cause {
    case .pinRemoved, .removedTooEarly, .disjoint: return keysPlace
    case .notYetPublished:
      guard let pin = keys.first else { return keysPlace }
      if let step = key(pin)?.steps.active, step.value == lockout.phase.begin { return step.place }
      return set?.members.first { policy.keys[$0.key].pin == pin }?.place ?? keysPlace
    case .denied: return keys.first.flatMap { key($0)?.denied?.place } ?? keysPlace
    case .newlyEnforced: return entry.mode.place
    case .expired(.entry): return entry.expires?.place ?? entry.written.place
    case .expired(.manifest), .unpinnedDenied: return releasePlace
    case .exceptionEnded: return entry.trust?.exceptions.first?.until.place ?? entry.written.place
    case .untrusted: return entry.trust?.place ?? entry.written.place
    case .other: return entry.requirement?.place ?? keysPlace
    }
  }
}

/// When clients have what a release says.
extension RotationFacts {
  /// The first instant at which every client runs this release or a later one.
  func everyClientRuns(from release: Int) -> Instant {
    scenario.releases[..<release].indices.reduce(scenario.releases[release].issued) { latest, earlier in
      max(latest, scenario.run(ofRelease: earlier).end ?? latest)
    }
  }

  /// The first instant from which on every client accepts a key of a server; nil where the last release doesn't.
  func reach(of pin: Pin, _ server: Server) -> Instant? {
    var first: Int?
    for release in scenario.releases.indices.reversed() {
      if let accepted = acceptedKeys(ofRelease: release, server), !accepted.contains(pin) { break }
      first = release
    }
    return first.map { everyClientRuns(from: $0) }
  }

  /// The key of the policy's set that comes next for a server, and when every client accepts it: the earliest but those
  /// given, the active ones first among equals.
  func successor(of server: Server, except keys: [Pin]) -> (name: String, reach: Instant)? {
    let members = keySet(of: server)?.members ?? []
    let found = members.compactMap { member -> (name: String, reach: Instant)? in
      guard let pin = policy.keys[member.key].pin, !keys.contains(pin), policy.keys[member.key].denied == nil,
        let reach = reach(of: pin, server)
      else { return nil }
      return (policy.keys[member.key].name.value, reach)
    }
    return found.enumerated().min { ($0.element.reach, $0.offset) < ($1.element.reach, $1.offset) }?.element
  }

  /// `'api-2027' reaches every client by …`, or that it has reached them.
  func reachText(_ name: String, _ instant: Instant) -> String {
    instant <= scenario.now ? "every client has '\(name)' already" : "'\(name)' reaches every client by \(instant)"
  }
}
