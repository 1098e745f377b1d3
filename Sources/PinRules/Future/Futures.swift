import PinFormat
import PinPolicy
package import PinRotation
import PinValidator

/// The futures of a study: what the policy's release would block, of all that its servers may come to present.
///
/// Work is linear in servers: what may become of a chain is found out once for all that present it.
struct Futures {
  private let scenario: Scenario
  private let question: RotationQuestion
  private let names: KeyNames
  private let announcements: Announcements
  private var known: [PresentedChain: [Announcements.Announcement]] = [:]
  private var found: [Group: Future] = [:]

  /// What futures have in common that are one finding.
  private struct Group: Hashable {
    var kind: Future.Kind
    var instant: Instant?
    /// Nil for renewals, which are of as many keys as servers.
    var key: Pin?
    var next: [String]
  }

  /// - Parameters:
  ///   - study: What is simulated.
  ///   - isNew: Only what the newest release doesn't block as well.
  /// - Returns: The futures, in order of time.
  static func all(of study: RotationStudy, onlyNew isNew: Bool) -> [Future] {
    guard study.question.futures != .none,
      let candidate = study.scenario.releases.firstIndex(where: { $0.origin == .candidate })
    else { return [] }
    let newest = isNew ? study.scenario.releases.lastIndex { $0.origin == .released } : nil
    var futures = Futures(study, candidate)
    for server in study.scenario.servers.indices {
      futures.play(server, candidate, except: newest.map { study.scenario.releases[$0] })
    }
    return futures.found.values.sorted { $0.order < $1.order }
  }

  private init(_ study: RotationStudy, _ candidate: Int) {
    scenario = study.scenario
    question = study.question
    names = KeyNames(study.scenario)
    let now = question.now
    announcements = Announcements(
      study.policy,
      scenario.servers.lazy.flatMap { $0.phase(at: now).views(ofRelease: candidate) }.flatMap(\.landings)
        .map(\.trust.chain), at: now)
  }

  /// Plays what may become of one server.
  private mutating func play(_ number: Int, _ candidate: Int, except newest: ClientRelease?) {
    let server = scenario.servers[number]
    let release = scenario.releases[candidate]
    guard let entry = release.manifest.entry(at: ServerPlace(host: server.host, port: server.port)) else { return }
    let trust = release.manifest.tables.trust(ofHost: entry)
    // One certificate is compared as a whole: nobody renews it.
    guard trust?.certificate == nil else { return }
    let now = question.now
    let phase = server.phase(at: now)
    var chains: [PresentedChain] = []
    for landing in phase.views(ofRelease: candidate).flatMap(\.landings) {
      let chain = landing.trust.chain
      if !chains.contains(chain), !release.blocksByPins(chain, of: server, at: now) { chains.append(chain) }
    }
    func isFound(_ chain: PresentedChain, at instant: Instant?) -> Bool {
      let instant = max(instant ?? now, now)
      return release.blocksByPins(chain, of: server, at: instant)
        && newest?.blocksByPins(chain, of: server, at: instant) != true
    }
    if question.futures == .all, !question.keepsKey(server.host, server.port) {
      renew(chains, isAssumed: phase.isUncertain, number) { isFound($0, at: nil) }
    }
    // What public authorities do doesn't concern a host that trusts only other anchors.
    guard trust.map({ $0.systemAnchors || $0.anchors.isEmpty }) ?? true else { return }
    let active = release.manifest.entryKeys(host: server.host.text, port: server.port).filter { !$0.isBackup }
    for chain in chains {
      for announced in announcements(of: chain) where announced.source != nil || question.futures == .all {
        if announced.kind == .anchorGone, hasOther(active, than: announced) { continue }
        let blocked = announced.ways.filter { way in
          way.chains.allSatisfy { isFound($0, at: announced.instant) }
        }
        guard let first = blocked.first?.chains.first else { continue }
        add(
          Future(
            announced.kind, at: announced.instant, key: announced.pin, name: names[announced.pin] ?? announced.name,
            next: blocked.compactMap(\.next).map { names[$0.pin] ?? $0.name.key },
            source: announced.source?.citation, chain: first, servers: [number]),
          key: announced.pin)
      }
    }
  }

  /// A new leaf key below the same authorities.
  ///
  /// Of a server that nobody looked at, any one of the chains may be what it presents: as long as one goes on without
  /// its leaf, the keys above it are what clients rely on.
  private mutating func renew(
    _ chains: [PresentedChain], isAssumed: Bool, _ number: Int, _ isFound: (PresentedChain) -> Bool
  ) {
    let renewed = chains.filter { $0.pins[0] != nil }.map { ($0, PresentedChain([nil] + $0.pins.dropFirst())) }
    let lost = renewed.filter { isFound($0.1) }
    guard let (chain, next) = lost.first, let leaf = chain.pins[0], !isAssumed || lost.count == chains.count else {
      return
    }
    add(
      Future(.renewal, at: nil, key: leaf, name: names.label(leaf), source: nil, chain: next, servers: [number]),
      key: nil)
  }

  private mutating func announcements(of chain: PresentedChain) -> [Announcements.Announcement] {
    if let found = known[chain] { return found }
    let found = announcements.all(of: chain)
    known[chain] = found
    return found
  }

  /// Whether the host has another active key, to whose authority it can change when a root is gone.
  private func hasOther(_ active: [EntryKey], than gone: Announcements.Announcement) -> Bool {
    active.contains { key in
      guard key.pin != gone.pin else { return false }
      guard let end = announcements.known[key.pin].flatMap({ announcements.departure(of: $0)?.instant }) else {
        return true
      }
      return gone.instant.map { end > $0 } ?? true
    }
  }

  private mutating func add(_ future: Future, key: Pin?) {
    let group = Group(kind: future.kind, instant: future.instant, key: key, next: future.next)
    if found[group] == nil { found[group] = future }
    guard found[group]?.servers.last != future.servers[0] else { return }
    found[group]?.servers += future.servers
  }
}

extension Server {
  /// What the server presents at an instant.
  fileprivate func phase(at instant: Instant) -> ServerPhase { phases.last { $0.begin <= instant } ?? phases[0] }
}

extension Future {
  /// In order of time, those without a day last.
  fileprivate var order: (Instant, String, Int) { (instant ?? .latest, kind.rawValue, servers[0]) }
}

extension RotationStudy {
  /// What may come about that the policy would block.
  ///
  /// - Parameter isNew: Only what the newest release doesn't block as well.
  /// - Returns: The futures, in order of time; none if the question asks for none.
  package func futures(onlyNew isNew: Bool = false) -> [Future] { Futures.all(of: self, onlyNew: isNew) }
}
