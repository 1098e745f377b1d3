import PinFormat
import PinValidator

/// Events as they are found: those that differ in nothing but the server become one.
struct TimelineEvents {
  private struct Key: Hashable {
    var instant: Instant
    var kind: TimelineEvent.Kind
  }

  private let scenario: Scenario
  private let names: KeyNames
  /// Of each release, until when some client runs it; nil for those that nobody runs any more.
  private let runs: [(begin: Instant, end: Instant?)]
  private var servers: [Key: Set<Int>] = [:]

  init(_ scenario: Scenario, _ names: KeyNames) {
    self.scenario = scenario
    self.names = names
    runs = scenario.releases.indices.map { scenario.run(ofRelease: $0) }
  }

  /// By instant; at one instant, causes before what follows.
  func sorted() -> [TimelineEvent] {
    servers.map { TimelineEvent(at: $0.key.instant, $0.key.kind, servers: $0.value.sorted()) }.sorted { left, right in
      if left.instant != right.instant { return left.instant < right.instant }
      if left.kind.rank != right.kind.rank { return left.kind.rank < right.kind.rank }
      if left.servers != right.servers { return left.servers.lexicographicallyPrecedes(right.servers) }
      return String(describing: left.kind) < String(describing: right.kind)
    }
  }

  private mutating func add(_ kind: TimelineEvent.Kind, at instant: Instant, server: Int? = nil) {
    var all = servers[Key(instant: instant, kind: kind)] ?? []
    if let server { all.insert(server) }
    servers[Key(instant: instant, kind: kind)] = all
  }

  private func isAhead(_ instant: Instant) -> Bool { scenario.now <= instant && instant < scenario.end }

  /// The releases that some client runs now or later, by their index.
  private var running: [Int] {
    runs.indices.filter { number in
      runs[number].begin < scenario.end && runs[number].end.map { $0 > scenario.now && $0 > runs[number].begin } ?? true
    }
  }

  mutating func addReleases() {
    for number in running {
      add(.release(number), at: runs[number].begin)
      if let end = runs[number].end, isAhead(end) { add(.lastClientGone(release: number), at: end) }
      let manifest = scenario.releases[number].manifest
      guard isAhead(manifest.expires), manifest.expires >= runs[number].begin else { continue }
      // If clients stop at the expiry, it is shown as their end.
      if let end = runs[number].end, manifest.expires >= end { continue }
      add(.manifestExpires(release: number, action: manifest.tables.header.onStale), at: manifest.expires)
    }
  }

  /// The ends of entries in every manifest that some client still runs then.
  mutating func addExpiries() {
    struct Expiry: Hashable {
      var instant: Instant
      var action: ExpiryAction
    }
    let running = running
    for (index, server) in scenario.servers.enumerated() {
      var found: [Expiry: [Int]] = [:]
      let host = server.host.text
      for release in running {
        let tables = scenario.releases[release].manifest.tables
        guard let number = try? tables.entry(for: host.utf8Span.span, port: server.port) else { continue }
        let entry = tables.hosts[number]
        guard entry.mode != .off, let instant = tables.expiry(of: entry), isAhead(instant),
          runs[release].begin <= instant, runs[release].end.map({ instant < $0 }) ?? true
        else { continue }
        found[Expiry(instant: instant, action: entry.onExpiry), default: []].append(release)
      }
      for (expiry, releases) in found {
        add(.entriesExpire(releases: releases, action: expiry.action), at: expiry.instant, server: index)
      }
    }
  }

  mutating func addServerChanges() {
    for (index, server) in scenario.servers.enumerated() {
      for (number, phase) in server.phases.enumerated() {
        // The first phase is a change only after a loss; what was presented before isn't known then.
        if number > 0 || phase.source == .afterLoss, isAhead(max(phase.begin, scenario.now)) {
          let before = number > 0 ? names.known(server.phases[number - 1]) : []
          let kind = TimelineEvent.Kind.serversChange(from: before, to: names.known(phase), source: phase.source)
          add(kind, at: max(phase.begin, scenario.now), server: index)
        }
        let next = number + 1 < server.phases.count ? server.phases[number + 1].begin : scenario.end
        for landing in phase.views.flatMap(\.landings) {
          guard case .trusted(_, let until?) = landing.trust, until.reason == .exception, isAhead(until.instant),
            phase.begin <= until.instant, until.instant < next
          else { continue }
          add(.exceptionsEnd, at: until.instant, server: index)
        }
      }
    }
  }

  mutating func addCertificates(_ certificates: [CertificateSpan]) {
    for certificate in certificates where isAhead(certificate.end) {
      switch certificate.role {
      case .leaf:
        let day = Instant(secondsSinceEpoch: certificate.end.secondsSinceEpoch / 86_400 * 86_400)
        add(.certificateEnds(.leaf, name: ""), at: max(day, scenario.now), server: certificate.server)
      case .intermediate, .root:
        add(.certificateEnds(certificate.role, name: certificate.name), at: certificate.end, server: certificate.server)
      }
    }
  }

  mutating func addSteps(_ steps: [PlannedStep]) {
    for step in steps where isAhead(step.instant) {
      add(.keyStep(key: step.key, status: step.status), at: step.instant)
    }
  }

  /// Lockouts of one server and release that follow on one another are one, unless something else is the cause.
  mutating func addLockouts(_ lockouts: [JudgedLockout]) {
    let ends = Set(lockouts.compactMap { judged in judged.lockout.end.map { Piece(judged, at: $0) } })
    let begins = Set(lockouts.map { Piece($0, at: $0.lockout.begin) })
    // Not a beginning if a lockout with the same cause ends at that instant, and not an end if another one begins.
    add(begins.subtracting(ends)) { .lockoutBegins($0) }
    let goOn = Set(begins.map(\.clients))
    var others: [[Int]: [Lockout]] = [:]
    for judged in lockouts where judged.lockout.extent == .every {
      others[[judged.lockout.server.number, judged.lockout.release.number], default: []].append(judged.lockout)
    }
    // It doesn't end either while another kind of client of the release is locked out.
    func isEnded(_ clients: Piece.Clients) -> Bool {
      !(others[[clients.server, clients.release]] ?? []).contains {
        $0.begin <= clients.instant && $0.end.map { $0 > clients.instant } ?? true
      }
    }
    add(ends.filter { !goOn.contains($0.clients) && isEnded($0.clients) }) { .lockoutEnds($0) }
  }

  /// Adds limits of lockouts, those of several releases at one server as one.
  private mutating func add(
    _ pieces: some Sequence<Piece>, as kind: (TimelineEvent.Blocked) -> TimelineEvent.Kind
  ) {
    var releases: [Piece: [Int]] = [:]
    for piece in pieces {
      var alike = piece
      alike.clients.release = 0
      releases[alike, default: []].append(piece.clients.release)
    }
    for (piece, releases) in releases {
      let blocked = TimelineEvent.Blocked(
        releases: releases.sorted(), cause: piece.cause, extent: piece.extent, isStanding: piece.isStanding)
      add(kind(blocked), at: piece.clients.instant, server: piece.clients.server)
    }
  }
}

/// An instant at which a lockout begins or ends.
private struct Piece: Hashable {
  struct Clients: Hashable {
    var server: Int
    var release: Int
    var instant: Instant
  }

  var clients: Clients
  var cause: LockoutCause
  var extent: Lockout.Extent
  var isStanding: Bool

  init(_ judged: JudgedLockout, at instant: Instant) {
    let lockout = judged.lockout
    clients = Clients(server: lockout.server.number, release: lockout.release.number, instant: instant)
    cause = judged.cause
    extent = lockout.extent
    isStanding = judged.isStanding
  }
}
