import PinFormat
import PinValidator

/// Plays a scenario and says who is locked out when.
///
/// Between two instants at which a clock runs out, a release appears or goes, or a server changes, nothing changes; so
/// one decision of the runtime validator for each such piece answers for all of it, and the answer is exact.
package struct Simulation: Sendable {
  private let scenario: Scenario
  /// The releases that some client runs at or after now, with when.
  private let runs: [Run]

  private struct Run {
    var release: Numbered<ClientRelease>
    var begin: Instant
    var end: Instant
  }

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    runs = scenario.releases.indices.compactMap { release in
      let run = scenario.run(ofRelease: release)
      let begin = max(scenario.now, run.begin)
      let end = min(scenario.end, run.end ?? scenario.end)
      return begin < end ? Run(release: Numbered(release, of: scenario.releases), begin: begin, end: end) : nil
    }
  }

  /// Every lockout, by server, release and phase; within one of them in order of time.
  ///
  /// Each kind of client has its own, and where it is only assumed what is presented, each chain that is blocked: at
  /// most as many as there are releases in use, phases, kinds of client (or assumed chains) and clocks of one host.
  package func lockouts() -> [Lockout] {
    var found: [Lockout] = []
    for server in scenario.servers.indices { addLockouts(ofServer: server, to: &found) }
    return found
  }

  /// The lockouts of one server, as ``lockouts()`` gives them.
  package func lockouts(ofServer number: Int) -> [Lockout] {
    var found: [Lockout] = []
    addLockouts(ofServer: number, to: &found)
    return found
  }

  private func addLockouts(ofServer number: Int, to found: inout [Lockout]) {
    let server = Numbered(number, of: scenario.servers)
    let phases = server.phases
    for run in runs {
      let manifest = run.release.manifest
      let entryExpiry = manifest.expiry(host: server.host.text, port: server.port)
      for index in phases.indices {
        var begin = max(run.begin, phases[index].begin)
        var end = run.end
        if index + 1 < phases.count { end = min(end, phases[index + 1].begin) }
        guard begin < end else { continue }
        let views = phases[index].views(ofRelease: run.release.number)
        let phase = Numbered(index, of: phases)
        let first = found.count
        while begin < end {
          var next = end
          Self.advance(&next, past: begin, to: manifest.expires)
          if let entryExpiry { Self.advance(&next, past: begin, to: entryExpiry) }
          Self.advance(&next, past: begin, toEndsOf: views)
          let piece = Piece(server: server, release: run.release, phase: phase, begin: begin, end: next, first: first)
          add(piece, views, to: &found)
          begin = next
        }
      }
    }
  }

  /// A stretch of time in which nothing changes for one release and phase.
  private struct Piece {
    var server: Numbered<Server>
    var release: Numbered<ClientRelease>
    var phase: Numbered<ServerPhase>
    var begin: Instant
    var end: Instant
    /// Where the lockouts of this release and phase begin in the list.
    var first: Int
  }

  private static func advance(_ next: inout Instant, past begin: Instant, to clock: Instant) {
    if begin < clock, clock < next { next = clock }
  }

  private static func advance(_ next: inout Instant, past begin: Instant, toEndsOf views: [ClientView]) {
    for view in views {
      for landing in view.landings {
        if case .trusted(_, let until?) = landing.trust { advance(&next, past: begin, to: until.instant) }
      }
    }
  }

  private func add(_ piece: Piece, _ views: [ClientView], to found: inout [Lockout]) {
    let release = piece.release.part
    let isUncertain = piece.phase.isUncertain
    let byPins = release.governance(of: piece.server.part, at: piece.begin, .pins)
    let byAnything = release.governance(of: piece.server.part, at: piece.begin, .anything)
    for number in views.indices {
      let view = Numbered(number, of: views)
      func blocked(_ question: Lockout.Question, _ governance: Governance) -> [Block] {
        let landings = view.landings
        return landings.indices.compactMap { place in
          release.manifest.obstacle(landings[place], governance, at: piece.begin, question)
            .map { Block(landing: Numbered(place, of: landings), obstacle: $0, question: question) }
        }
      }
      let (byPins, byAnything) = (blocked(.pins, byPins), blocked(.anything, byAnything))
      // A chain whose end is known shows the cause better than one that may match further up.
      let firstByPins = byPins.first { !$0.landing.trust.hasUnknownEnd } ?? byPins.first
      if isUncertain {
        let rest = byAnything.filter { block in !byPins.contains { $0.landing == block.landing } }
        for block in byPins + rest {
          add(piece, .every, view: view, block, of: [block], isUncertain: true, to: &found)
        }
      } else if let first = firstByPins, byPins.count == view.landings.count {
        add(piece, .every, view: view, first, of: byPins, isUncertain: false, to: &found)
      } else if let first = byAnything.first, byAnything.count == view.landings.count {
        // A verdict by the release shows the cause better than a failure that is there anyway.
        let block = byAnything.first { if case .verdict = $0.obstacle { true } else { false } } ?? first
        add(piece, .every, view: view, block, of: byAnything, isUncertain: false, to: &found)
      } else if let first = firstByPins ?? byAnything.first {
        let blocks = byPins.isEmpty ? byAnything : byPins
        add(piece, .some, view: view, first, of: blocks, isUncertain: false, to: &found)
      }
    }
  }

  /// A landing that is blocked.
  private struct Block {
    var landing: Numbered<Landing>
    var obstacle: Lockout.Obstacle
    var question: Lockout.Question
  }

  /// Adds a piece, or makes the one before it longer where nothing but the time differs.
  private func add(
    _ piece: Piece, _ extent: Lockout.Extent, view: Numbered<ClientView>, _ block: Block, of blocks: [Block],
    isUncertain: Bool, to found: inout [Lockout]
  ) {
    let isByClock = blocks.contains { $0.obstacle.isClock }
    let end = piece.end == scenario.end ? nil : piece.end
    for index in (piece.first..<found.count).reversed() {
      let earlier = found[index]
      guard earlier.end == piece.begin, earlier.extent == extent, earlier.view == view,
        earlier.question == block.question, earlier.isByClock == isByClock,
        !isUncertain || earlier.landing == block.landing
      else { continue }
      found[index].end = end
      return
    }
    found.append(
      Lockout(
        server: piece.server, release: piece.release, phase: piece.phase, begin: piece.begin, end: end, extent: extent,
        question: block.question, view: view, landing: block.landing, obstacle: block.obstacle,
        isByClock: isByClock))
  }
}
