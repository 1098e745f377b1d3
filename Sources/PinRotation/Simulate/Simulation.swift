package import PinFormat
import PinValidator

/// Plays a scenario and says who is locked out when.
///
/// Between two instants at which a clock runs out, a release appears or goes, or a server changes, nothing changes; so
/// one decision of the runtime validator for each such piece answers for all of it, and the answer is exact.
package struct Simulation {
  private let scenario: Scenario
  private let runs: [(begin: Instant, end: Instant?)]

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    runs = scenario.releases.indices.map { scenario.run(ofRelease: $0) }
  }

  /// Every lockout, by server, release and phase; of one of them, in order of time.
  package func lockouts() -> [Lockout] {
    var found: [Lockout] = []
    for server in scenario.servers.indices { lockouts(of: server, into: &found) }
    return found
  }

  private func lockouts(of number: Int, into found: inout [Lockout]) {
    let server = scenario.servers[number]
    let host = server.host.text
    for release in scenario.releases.indices {
      for phase in server.phases.indices {
        guard let span = span(ofPhase: phase, of: server, release) else { continue }
        let question = Question(
          server: number, release: release, phase: phase, views: server.phases[phase].views(ofRelease: release),
          countsAny: server.phases[phase].source == .assumed)
        for piece in pieces(of: span, for: question, host: host, port: server.port) {
          guard let blocked = answer(to: question, host: host, port: server.port, at: piece.begin) else { continue }
          add(blocked, of: question, piece, to: &found)
        }
      }
    }
  }

  /// What one release's clients are shown in one phase.
  private struct Question {
    var server: Int
    var release: Int
    var phase: Int
    var views: [ClientView]
    /// Whether one blocked landing is enough.
    var countsAny: Bool
  }

  private struct Span {
    var begin: Instant
    var end: Instant
  }

  private struct Blocked: Hashable {
    var extent: Lockout.Extent
    var view: Int
    var landing: Int
    var obstacle: Lockout.Obstacle
  }

  /// Where the phase, the release's run and the scenario meet.
  private func span(ofPhase phase: Int, of server: Server, _ release: Int) -> Span? {
    let run = runs[release]
    let begin = max(scenario.now, run.begin, server.phases[phase].begin)
    var end = min(scenario.end, run.end ?? scenario.end)
    if phase + 1 < server.phases.count { end = min(end, server.phases[phase + 1].begin) }
    return begin < end ? Span(begin: begin, end: end) : nil
  }

  /// Cuts a span where a clock of the release runs out or an exception ends.
  private func pieces(of span: Span, for question: Question, host: String, port: UInt16) -> [Span] {
    let manifest = scenario.releases[question.release].manifest
    var cuts: [Instant] = []
    func cut(_ instant: Instant) {
      if span.begin < instant, instant < span.end { cuts.append(instant) }
    }
    cut(manifest.expires)
    if let expiry = manifest.expiry(host: host, port: port) { cut(expiry) }
    for view in question.views {
      for landing in view.landings {
        if case .trusted(_, let until?) = landing.trust { cut(until) }
      }
    }
    guard !cuts.isEmpty else { return [span] }
    cuts.sort()
    var pieces: [Span] = []
    var begin = span.begin
    for instant in cuts where instant > begin {
      pieces.append(Span(begin: begin, end: instant))
      begin = instant
    }
    pieces.append(Span(begin: begin, end: span.end))
    return pieces
  }

  /// The gravest that happens to any kind of client; nil where all get through.
  private func answer(to question: Question, host: String, port: UInt16, at instant: Instant) -> Blocked? {
    let manifest = scenario.releases[question.release].manifest
    let governance = manifest.govern(host: host, port: port, at: instant)
    var partly: Blocked?
    for (number, view) in question.views.enumerated() {
      var first: Blocked?
      var count = 0
      for (place, landing) in view.landings.enumerated() {
        guard let obstacle = manifest.obstacle(landing, governance, at: instant) else { continue }
        count += 1
        if first == nil { first = Blocked(extent: .every, view: number, landing: place, obstacle: obstacle) }
      }
      guard var blocked = first else { continue }
      if count == view.landings.count || question.countsAny { return blocked }
      blocked.extent = .some
      if partly == nil { partly = blocked }
    }
    return partly
  }

  /// Adds a piece, or makes the one before it longer where nothing but the time differs.
  private func add(_ blocked: Blocked, of question: Question, _ piece: Span, to found: inout [Lockout]) {
    let end = piece.end == scenario.end ? nil : piece.end
    if let last = found.last, last.server == question.server, last.release == question.release,
      last.phase == question.phase, last.end == piece.begin, last.extent == blocked.extent
    {
      found[found.count - 1].end = end
      return
    }
    found.append(
      Lockout(
        server: question.server, release: question.release, phase: question.phase, begin: piece.begin, end: end,
        extent: blocked.extent, view: blocked.view, landing: blocked.landing, obstacle: blocked.obstacle))
  }
}

extension LoadedManifest {
  /// When the entry that governs a host expires; nil where none governs it, or never.
  package func expiry(host: String, port: UInt16) -> Instant? {
    guard let number = try? tables.entry(for: host.utf8Span.span, port: port) else { return nil }
    return tables.expiry(of: tables.hosts[number])
  }

  /// What keeps a client from going on at a landing; nil where it goes on.
  func obstacle(_ landing: Landing, _ governance: Governance, at instant: Instant) -> Lockout.Obstacle? {
    switch governance {
    case .answered(.block(let reason, _)): return .verdict(reason)
    case .answered: return nil
    case .pinned(let entry):
      switch landing.trust {
      case .refused(let reason): return .untrusted(reason)
      case .trusted(let chain, let until):
        if let until, instant >= until { return .exceptionEnded }
        if case .block(let reason, _) = decide(chain, for: entry) { return .verdict(reason) }
        return nil
      }
    }
  }
}
