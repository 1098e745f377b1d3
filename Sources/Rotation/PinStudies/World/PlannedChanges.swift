import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator

/// What servers are planned to present in place of what they do: by the steps of keys, and by word of the question.
struct PlannedChanges {
  private let question: RotationQuestion
  private let candidate: LoadedManifest
  private let end: Instant
  private let standings: KeyStandings
  /// The keys that become active within the scenario, by name.
  private let upcoming: [String: (instant: Instant, key: Policy.Key)]
  private var known: [Int: [Step]] = [:]
  private let stated: [HostName: [Stated]]

  /// Keys of one set that become active at one instant.
  private struct Step {
    var instant: Instant
    var keys: [StandingKey]
  }

  private struct Stated {
    var port: UInt16?
    var instant: Instant
    var keys: [StandingKey]
  }

  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  init(
    _ question: RotationQuestion, _ plan: RotationReleases, _ standings: KeyStandings, _ names: KeysByName
  ) throws(RotationWorldError) {
    self.question = question
    self.standings = standings
    candidate = plan.releases[plan.candidateNumber].manifest
    end = plan.end
    var upcoming: [String: (instant: Instant, key: Policy.Key)] = [:]
    for key in question.policy.policy.keys {
      guard let instant = key.steps.active?.value, question.now < instant, instant < plan.end else { continue }
      for (name, _) in key.manifestKeys { upcoming[name] = (instant, key) }
    }
    self.upcoming = upcoming
    var stated: [HostName: [Stated]] = [:]
    for change in question.serverChanges {
      var keys: [StandingKey] = []
      for name in change.keys {
        if name == StandingKey.unknown.name, !names.has(name) {
          keys.append(.unknown)
          continue
        }
        let (key, pin) = try names.key(name)
        keys.append(StandingKey(name, pin, position: key.chainPosition, among: standings.known))
      }
      stated[change.host, default: []].append(Stated(port: change.port, instant: change.instant, keys: keys))
    }
    self.stated = stated
  }

  /// The further phases of a server, in order of time.
  mutating func phases(
    of place: HostPort, after first: ServerPhase, _ judge: ServerJudge
  ) -> [ServerPhase] {
    let (steps, keepsLeaf) = steps(of: place)
    let stated = (stated[place.host] ?? []).filter { ($0.port ?? place.port) == place.port && $0.instant < end }
    guard !steps.isEmpty || !stated.isEmpty else { return [first] }
    var phases = [first]
    for instant in Set(steps.map(\.instant) + stated.map(\.instant)).sorted() {
      let here = stated.filter { $0.instant == instant }
      let changes =
        here.isEmpty
        ? steps.filter { $0.instant == instant }.map { ChainChange($0.keys, keepsLeaf: keepsLeaf) }
        : here.map { ChainChange(chain: $0.keys, keepsLeaf: keepsLeaf) }
      let begin = max(instant, question.now)
      let last = phases[phases.count - 1]
      let next = ChainChange.phase(last, after: changes, at: begin, judge)
      // A statement about the past applies from now on; the phase before it shows who was locked out already.
      if last.begin == begin, phases.count > 1 { phases.removeLast() }
      phases.append(next)
    }
    return phases
  }

  /// When keys of the set that governs a server become active, and whether a leaf is kept where another authority comes.
  private mutating func steps(of place: HostPort) -> (steps: [Step], keepsLeaf: Bool) {
    // Whether the entry has expired doesn't matter: operators change their servers anyway.
    guard let entry = candidate.entry(at: place) else { return ([], false) }
    let record = candidate.tables.hosts[entry]
    let keepsLeaf = record.requirement == .leafAndCA
    guard let keySet = record.keySet, !upcoming.isEmpty else { return ([], keepsLeaf) }
    if let steps = known[keySet] { return (steps, keepsLeaf) }
    var keys: [Instant: [StandingKey]] = [:]
    for member in candidate.tables.members(ofKeySet: keySet).map({ candidate.tables.member($0) }) {
      let name = candidate.tables.name(ofKey: member.key)
      guard let (instant, key) = upcoming[name], let pin = key.pin else { continue }
      // Two keys of a manifest may be one key of the policy.
      let standing = StandingKey(key.name.value, pin, position: key.chainPosition, among: standings.known)
      if !keys[instant, default: []].contains(standing) { keys[instant, default: []].append(standing) }
    }
    let steps = keys.map { Step(instant: $0.key, keys: $0.value) }.sorted { $0.instant < $1.instant }
    known[keySet] = steps
    return (steps, keepsLeaf)
  }
}
