package import PinFormat
import PinPolicy
import PinProbe
package import PinRotation
import PinValidator

/// Plays what may become of each server by itself, and says which of it the policy doesn't accept.
///
/// It only reads the scenario: lockouts, losses and plans are the same with it and without (`docs/rotation.md`,
/// "Futures"). A future changes one thing, and blocks only what was accepted before it.
package struct Futures {
  /// Days beyond the scenario count for so long, in seconds, and up to the expiry of the host's entry.
  private static let horizon: Int64 = 365 * 86_400

  private let question: RotationQuestion
  private let scenario: Scenario
  private let candidate: Int
  private let newest: Int?
  private let end: Instant
  private var drafts: FutureDrafts
  private let leafEnds: [Int: Instant]
  private var sets: [SetPlace: ActiveKeys] = [:]
  private var found: [Group: ForeseenFuture] = [:]

  /// What one entry of the report tells: each server's own leaf key isn't part of it.
  private struct Group: Hashable {
    var kind: Future.Kind
    var key: Pin?
    var day: Instant?
    var onlyReports: Bool
  }

  private struct SetPlace: Hashable {
    var release: Int
    var keySet: Int
  }

  /// The active keys of a set, by where they are in a chain.
  private struct ActiveKeys {
    var leaves: [Pin] = []
    var authorities: [StandingKey] = []
  }

  /// All futures that the policy doesn't accept: by day, those of any renewal first.
  ///
  /// - Parameters:
  ///   - world: The scenario, with its candidate.
  ///   - question: What the world was built of.
  package static func find(in world: RotationWorld, _ question: RotationQuestion) -> [ForeseenFuture] {
    guard question.futures != .none else { return [] }
    guard var futures = Futures(world, question) else { return [] }
    for server in world.scenario.servers.indices { futures.play(server) }
    return futures.found.values.map { ($0.order, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private init?(_ world: RotationWorld, _ question: RotationQuestion) {
    self.question = question
    scenario = world.scenario
    guard let candidate = scenario.releases.firstIndex(where: { $0.origin == .candidate }) else { return nil }
    self.candidate = candidate
    newest = scenario.releases.lastIndex { $0.origin == .released }
    end = max(scenario.end, scenario.now.adding(seconds: Self.horizon))
    let policy = question.policy.policy
    var pins = Set(
      scenario.servers.lazy.flatMap(\.phases).flatMap(\.allViews).flatMap(\.landings)
        .flatMap { $0.trust.chain.pins.dropFirst() }.compactMap(\.self))
    for key in policy.keys where key.position?.value != .leaf { if let pin = key.pin { pins.insert(pin) } }
    let known = policy.library.concerning(
      pins, subjects: Set(policy.keys.compactMap { PinnedAuthorities.issuer(of: $0) }), withServices: false,
      at: question.now)
    drafts = FutureDrafts(policy, known)
    var leafEnds: [Int: Instant] = [:]
    for span in world.assessment.map({ CertificateSpan.observed(in: $0, of: scenario) }) ?? []
    where span.role == .leaf && scenario.now <= span.end {
      leafEnds[span.server] = min(leafEnds[span.server] ?? span.end, span.end)
    }
    self.leafEnds = leafEnds
  }

  /// Plays the futures of one server.
  private mutating func play(_ number: Int) {
    let server = scenario.servers[number]
    let place = ServerPlace(host: server.host, port: server.port)
    let manifest = scenario.releases[candidate].manifest
    guard let entry = manifest.entry(at: place) else { return }
    let trust = manifest.tables.trust(ofHost: entry)
    // One certificate has no renewal: another one is another entry.
    if trust?.certificate != nil { return }
    // What public authorities do doesn't concern hosts with anchors of their own.
    let isPublic = trust.map { $0.systemAnchors || $0.anchors.isEmpty } ?? true
    let keeps = question.keepsKey(server.host, server.port)
    for index in server.phases.indices {
      let phase = server.phases[index]
      let next = index + 1 < server.phases.count ? server.phases[index + 1].begin : nil
      if let next, next <= scenario.now { continue }
      let span = (begin: max(phase.begin, scenario.now), end: next)
      var seen: Set<PresentedChain> = []
      for landing in phase.views(ofRelease: candidate).flatMap(\.landings)
      where seen.insert(landing.trust.chain).inserted {
        play(landing.trust.chain.pins, at: number, during: span, keeps: keeps, isPublic: isPublic)
      }
    }
  }

  private mutating func play(
    _ pins: [Pin?], at server: Int, during span: (begin: Instant, end: Instant?), keeps: Bool, isPublic: Bool
  ) {
    guard pins.count > 1 else { return }
    let isNow = span.begin == scenario.now
    var renewal = FutureDraft(future: Future(.renewal), above: [Array(pins.dropFirst())])
    renewal.isOpen = pins.last.flatMap(\.self) == nil
    let (leaf, rest) = (pins[0], Array(pins.dropFirst()))
    let isRenewed =
      !keeps && outcome(of: renewal, leaf: nil, ofRelease: candidate, at: server, on: span.begin) == .accepted
    if !keeps, !isRenewed, isNow, leaf != nil, isPlayed(renewal.future) {
      tell(renewal, of: pins, leaf: nil, at: server, on: span.begin)
    }
    guard isPublic else { return }
    // A leaf that the entry needs is kept, since its renewal is a future of its own.
    let kept = isRenewed ? nil : leaf
    var told: Set<Pin> = []
    for draft in drafts.drafts(above: rest).reversed() where isPlayed(draft.future) {
      let day = max(draft.future.day ?? scenario.now, scenario.now)
      guard span.begin <= day, span.end.map({ day < $0 }) ?? true, isNear(day, server) else { continue }
      let isGeneric = draft.future.kind == .otherIntermediate && draft.future.source == nil
      if isGeneric, draft.future.key.map(told.contains) ?? false { continue }
      if tell(draft, of: pins, leaf: kept, at: server, on: day), let key = draft.future.key { told.insert(key) }
    }
  }

  private func isPlayed(_ future: Future) -> Bool { question.futures == .all || future.source != nil }

  /// Whether a day is near enough to say something about: a root leaves some store at some time anyway.
  private func isNear(_ day: Instant, _ number: Int) -> Bool {
    if day < end { return true }
    let server = scenario.servers[number]
    return scenario.releases[candidate].manifest.expiry(host: server.host.text, port: server.port)
      .map { day < $0 } ?? false
  }

  /// Takes note of a future if the release of its day doesn't accept it, and accepted what was there before.
  ///
  /// - Returns: Whether it did.
  @discardableResult
  private mutating func tell(
    _ draft: FutureDraft, of pins: [Pin?], leaf: Pin?, at number: Int, on instant: Instant
  ) -> Bool {
    let server = scenario.servers[number]
    let release = scenario.releases.lastIndex { $0.issued <= instant && $0.origin != .released } ?? candidate
    let outcome = outcome(of: draft, leaf: leaf, ofRelease: release, at: number, on: instant)
    guard outcome != .accepted,
      scenario.releases[release].outcome(of: [PresentedChain(pins)], at: server, on: instant) == .accepted
    else { return false }
    let before = newest.map { self.outcome(of: draft, leaf: leaf, ofRelease: $0, at: number, on: instant) }
    let told = ForeseenFuture.Case(
      server: number, release: release, instant: instant, chain: PresentedChain([leaf] + draft.above[0]),
      renewedBy: draft.future.day.map { $0 > scenario.now } ?? false ? nil : leafEnds[number],
      isNew: before.map { $0 < outcome } ?? true)
    let group = Group(
      kind: draft.future.kind, key: draft.future.key, day: draft.future.day, onlyReports: outcome == .reported)
    var foreseen = found[group] ?? ForeseenFuture(draft.future, onlyReports: outcome == .reported, cases: [])
    foreseen.future.next = Set(foreseen.future.next + draft.future.next).sorted()
    if foreseen.cases.last?.server != number {
      foreseen.cases.append(told)
    } else if told.isNew, !foreseen.cases[foreseen.cases.count - 1].isNew {
      foreseen.cases[foreseen.cases.count - 1] = told
    }
    found[group] = foreseen
    return true
  }

  /// What a release makes of a future.
  private mutating func outcome(
    of draft: FutureDraft, leaf: Pin?, ofRelease number: Int, at server: Int, on instant: Instant
  ) -> FutureOutcome {
    let isRenewal = draft.future.kind == .renewal
    let server = scenario.servers[server]
    var (leaves, above) = ([leaf], draft.above)
    let isKept = leaf == nil && !isRenewal && question.keepsKey(server.host, server.port)
    if draft.isOpen || isKept, let active = activeKeys(ofRelease: number, at: server) {
      // An own key that is active may be presented under any authority.
      if !isRenewal { leaves += active.leaves }
      if draft.isOpen {
        above += active.authorities.filter { key in
          isRenewal || key.pin.map { $0 != draft.future.key && drafts.lasts($0, beyond: instant) } ?? false
        }.map(\.above)
      }
    }
    let chains = leaves.flatMap { leaf in above.map { PresentedChain([leaf] + $0) } }
    return scenario.releases[number].outcome(of: chains, at: server, on: instant)
  }

  private mutating func activeKeys(ofRelease number: Int, at server: Server) -> ActiveKeys? {
    let manifest = scenario.releases[number].manifest
    guard let entry = manifest.entry(at: ServerPlace(host: server.host, port: server.port)),
      let keySet = manifest.tables.hosts[entry].keySet
    else { return nil }
    let place = SetPlace(release: number, keySet: keySet)
    if let made = sets[place] { return made }
    var active = ActiveKeys()
    for key in manifest.entryKeys(host: server.host.text, port: server.port) where !key.isBackup {
      let standing = StandingKey("", key.pin, position: key.position, among: scenario.standings)
      if standing.position == .leaf { active.leaves.append(key.pin) } else { active.authorities.append(standing) }
    }
    sets[place] = active
    return active
  }
}

extension ForeseenFuture {
  /// By day, those of any renewal first.
  fileprivate var order: (Instant, String, Int, String) {
    (future.day ?? .earliest, future.kind.rawValue, cases[0].server, future.key?.description ?? "")
  }
}
