import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
package import PinRotation
import PinRules
import PinValidator

/// The futures of a study: changes that nobody plans, and after which the policy wouldn't accept what servers present.
///
/// They are beside the scenario, never in it. A future changes one thing: a leaf key that the entry needs is kept while
/// authorities change, since its renewal is a future of its own. Work is linear in servers: how the keys above a leaf may
/// change is found out once for all chains that have them.
struct Futures {
  /// How far ahead of now days count at least, in seconds: every root leaves some store one day.
  private static let horizon: Int64 = 365 * 86_400

  private let scenario: Scenario
  private let question: RotationQuestion
  private let candidate: Int
  /// The newest release that is out, if what it loses as well is left out; else nil.
  private let newest: Int?
  private let end: Instant
  private let names: KeyNames
  private var announcements: Announcements
  private var trials: FutureTrials
  /// When the first leaf certificate of a server ends.
  private let leafEnds: [Int: Instant]
  private var found: [Group: Future] = [:]

  /// What futures have in common that are one finding.
  private struct Group: Hashable {
    var kind: Future.Kind
    var instant: Instant?
    /// Nil for renewals, which are of as many keys as servers.
    var key: Pin?
    var next: [String]
    var onlyReports: Bool
  }

  /// A chain of a server while a phase lasts.
  private struct Present {
    var server: Int
    var landing: Landing
    var begin: Instant
    var end: Instant?
    /// Whether the server's renewals are known to keep its key.
    var keepsKey: Bool

    var pins: [Pin?] { landing.trust.chain.pins }
    var above: [Pin?] { Array(pins.dropFirst()) }
  }

  /// - Parameters:
  ///   - world: What is simulated.
  ///   - question: What it was built of.
  ///   - isNew: Only what the newest release accepts.
  /// - Returns: The futures, in order of time.
  static func all(in world: RotationWorld, _ question: RotationQuestion, onlyNew isNew: Bool) -> [Future] {
    guard question.futures != .none,
      let candidate = world.scenario.releases.firstIndex(where: { $0.origin == .candidate })
    else { return [] }
    var futures = Futures(world, question, candidate, onlyNew: isNew)
    for server in world.scenario.servers.indices { futures.play(server) }
    return futures.found.values.sorted { $0.order < $1.order }
  }

  private init(_ world: RotationWorld, _ question: RotationQuestion, _ candidate: Int, onlyNew isNew: Bool) {
    scenario = world.scenario
    self.question = question
    self.candidate = candidate
    newest = isNew ? scenario.releases.lastIndex { $0.origin == .released } : nil
    end = max(scenario.end, scenario.now.adding(seconds: Self.horizon))
    names = KeyNames(scenario)
    let policy = question.policy.policy
    var pins: Set<Pin> = []
    for landing in scenario.servers.lazy.flatMap(\.phases).flatMap(\.allViews).flatMap(\.landings) {
      for case let pin? in landing.trust.chain.pins.dropFirst() { pins.insert(pin) }
    }
    // Also what operators may choose in place of a root that is gone.
    for case let pin? in policy.keys.lazy.filter({ $0.position?.value != .leaf }).map(\.pin) { pins.insert(pin) }
    announcements = Announcements(policy, pins, at: question.now)
    trials = FutureTrials(scenario)
    var ends: [Int: Instant] = [:]
    for span in world.assessment.map({ CertificateSpan.observed(in: $0, of: world.scenario) }) ?? []
    where span.role == .leaf && scenario.now <= span.end {
      ends[span.server] = min(ends[span.server] ?? span.end, span.end)
    }
    leafEnds = ends
  }

  /// Plays the changes that may happen to one server.
  private mutating func play(_ number: Int) {
    let server = scenario.servers[number]
    let manifest = scenario.releases[candidate].manifest
    guard let entry = manifest.entry(at: HostPort(server.host, server.port)) else { return }
    let trust = manifest.tables.trust(ofHost: entry)
    // One certificate is compared as a whole: nobody renews it.
    guard trust?.certificate == nil else { return }
    // What public authorities do doesn't concern a host that trusts only other anchors.
    let isPublic = trust.map { $0.systemAnchors || $0.anchors.isEmpty } ?? true
    let keepsKey = question.keepsKey(server.host, server.port)
    for (index, phase) in server.phases.enumerated() {
      let next = index + 1 < server.phases.count ? server.phases[index + 1].begin : nil
      if let next, next <= scenario.now { continue }
      var chains: Set<PresentedChain> = []
      for landing in phase.views(ofRelease: candidate).lazy.flatMap(\.landings)
      where landing.trust.chain.pins.count > 1 && chains.insert(landing.trust.chain).inserted {
        play(
          Present(
            server: number, landing: landing, begin: max(phase.begin, scenario.now), end: next, keepsKey: keepsKey),
          isPublic: isPublic)
      }
    }
  }

  private mutating func play(_ present: Present, isPublic: Bool) {
    var leaf = present.pins[0]
    if let renewal = renewal(of: present), !present.keepsKey {
      if outcome(ofRenewal: present, candidate) == .accepted {
        leaf = nil
      } else if present.begin == scenario.now {
        tell(renewal, leaf: nil, present, on: present.begin)
      }
    }
    guard isPublic else { return }
    var announced = false
    // Moves come last, and say more than that another intermediate may come.
    for announcement in announcements.all(above: present.above).reversed() {
      let day = max(announcement.instant ?? scenario.now, scenario.now)
      guard present.begin <= day, present.end.map({ day < $0 }) ?? true, isNear(day, present.server) else { continue }
      if announcement.kind == .intermediate, announcement.source == nil, announced { continue }
      let isTold = tell(announcement, leaf: leaf, present, on: day)
      announced = announced || isTold && announcement.pin == present.above[0]
    }
  }

  /// Whether a day is near enough to be told: within a year, while the scenario lasts, or before the entry expires.
  private func isNear(_ day: Instant, _ number: Int) -> Bool {
    if day < end { return true }
    let server = scenario.servers[number]
    return scenario.releases[candidate].manifest.expiry(host: server.host.text, port: server.port)
      .map { day < $0 } ?? false
  }

  /// Takes note of what the release of a day doesn't accept, if it accepts what is there now.
  ///
  /// - Returns: Whether there was something.
  @discardableResult
  private mutating func tell(
    _ announcement: Announcement, leaf: Pin?, _ present: Present, on instant: Instant
  ) -> Bool {
    guard question.futures == .all || announcement.source != nil else { return false }
    let number = scenario.releases.lastIndex { $0.issued <= instant && $0.origin != .released } ?? candidate
    guard accepts(present, number, on: instant) else { return false }
    // A release whose clients are blocked now loses nothing later; but a host that depended on another leaf key before
    // depends on one still.
    let isRenewal = announcement.kind == .renewal
    let before = newest.flatMap { isRenewal || accepts(present, $0, on: instant) ? $0 : nil }
    var worst = FutureOutcome.accepted
    var lost: [Announcement.Way] = []
    for way in announcement.ways {
      let outcome = outcome(of: announcement, way, leaf: leaf, present, number, on: instant)
      guard outcome != .accepted else { continue }
      if let before, self.outcome(of: announcement, way, leaf: leaf, present, before, on: instant) >= outcome {
        continue
      }
      worst = max(worst, outcome)
      lost.append(way)
    }
    guard let first = lost.first else { return false }
    let isAhead = announcement.instant.map { $0 > scenario.now } ?? false
    add(
      Future(
        announcement.kind, at: announcement.instant, key: announcement.pin,
        name: isRenewal ? names.label(announcement.pin) : names[announcement.pin] ?? announcement.name,
        next: lost.compactMap(\.next).map { names[$0.pin] ?? $0.name.key }.sorted(),
        source: announcement.source?.citation, chain: PresentedChain([leaf] + first.above[0]),
        servers: [present.server], renewedBy: isAhead ? nil : leafEnds[present.server],
        onlyReports: worst == .reported))
    return true
  }

  /// Whether a release accepts what is there now.
  private func accepts(_ present: Present, _ release: Int, on instant: Instant) -> Bool {
    // What trust evaluation makes of it is nothing that a future changes.
    scenario.releases[release].outcome(
      of: [present.landing.trust.chain], at: scenario.servers[present.server], on: instant, isTrusted: { _ in true })
      == .accepted
  }

  /// A new leaf key below the same authorities; nil where the leaf isn't known.
  private func renewal(of present: Present) -> Announcement? {
    present.pins[0].map { key in
      Announcement(
        kind: .renewal, pin: key, name: "", ways: [.init(above: [present.above])],
        isOpen: present.above.last.flatMap(\.self) == nil)
    }
  }

  private mutating func outcome(ofRenewal present: Present, _ release: Int) -> FutureOutcome? {
    renewal(of: present).map { outcome(of: $0, $0.ways[0], leaf: nil, present, release, on: present.begin) }
  }

  /// What a release makes of one way in which something may happen.
  private mutating func outcome(
    of announcement: Announcement, _ way: Announcement.Way, leaf: Pin?, _ present: Present, _ release: Int,
    on instant: Instant
  ) -> FutureOutcome {
    let isRenewal = announcement.kind == .renewal
    let trial = FutureTrials.Trial(
      leaf: leaf, above: way.above, choosesLeaf: !isRenewal && (announcement.isOpen || leaf == nil && present.keepsKey),
      choosesAuthority: announcement.isOpen)
    return trials.outcome(
      of: trial, inPlaceOf: present.landing, at: present.server, ofRelease: release, on: instant
    ) { [announcements] pin in
      isRenewal || pin != announcement.pin && announcements.lasts(pin, beyond: instant)
    }
  }

  private mutating func add(_ future: Future) {
    let group = Group(
      kind: future.kind, instant: future.instant, key: future.kind == .renewal ? nil : future.key, next: future.next,
      onlyReports: future.onlyReports)
    guard var known = found[group] else {
      found[group] = future
      return
    }
    guard known.servers.last != future.servers[0] else { return }
    known.servers += future.servers
    known.renewedBy = [known.renewedBy, future.renewedBy].compactMap(\.self).min()
    found[group] = known
  }
}

extension Future {
  /// In order of time, those without a day last.
  fileprivate var order: (Instant, String, Int, String) {
    (instant ?? .latest, kind.rawValue, servers[0], ([name, "\(key)", "\(onlyReports)"] + next).joined(separator: " "))
  }
}

extension RotationStudy {
  /// The changes that nobody plans, and with which the policy would lock clients out.
  ///
  /// - Parameter isNew: Only what the newest release accepts.
  /// - Returns: The futures, in order of time; none if the question asks for none.
  package func futures(onlyNew isNew: Bool = false) -> [Future] {
    Futures.all(in: world, question, onlyNew: isNew)
  }
}
