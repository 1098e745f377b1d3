package import PinFormat
import PinValidator

/// What one server's time line holds, without the server's name, so that hosts that fare alike can be told once.
package struct HostTimeline: Hashable, Sendable {
  /// What is presented from one instant until another.
  package struct Shown: Hashable, Sendable {
    package var begin: Instant
    package var end: Instant?
    /// The known keys, from the leaf upwards.
    package var keys: [String]
    package var source: ServerPhase.Source
  }

  /// When the entry that governs the host runs out, in the manifests of these releases.
  package struct EntryEnd: Hashable, Sendable {
    package var releases: [Int]
    package var begin: Instant
    package var end: Instant
    package var action: ExpiryAction
  }

  /// A certificate, by what it is in the chain; its name says nothing of how a host fares.
  package struct Certificate: Hashable, Sendable {
    package var role: CertificateSpan.Role
    package var begin: Instant?
    package var end: Instant
  }

  /// A span in which clients of a release are blocked.
  package struct Blocked: Hashable, Sendable {
    package var release: Int
    package var begin: Instant
    package var end: Instant?
    package var extent: Lockout.Extent
    package var isStanding: Bool
    package var cause: LockoutCause

    /// Whether it is a lockout that what is played causes.
    package var isCaused: Bool { extent == .every && !isStanding }
  }

  package var shown: [Shown]
  package var entries: [EntryEnd]
  /// When exceptions end that excuse a failure of trust evaluation.
  package var exceptions: [Instant]
  package var certificates: [Certificate]
  /// In order of time.
  package var blocked: [Blocked]
  /// What may become of the host by itself, by its number in the list that was given.
  package var futures: [Int]
}

extension SimulationTimeline {
  /// The time line of each server, by its index in the scenario.
  package func hosts(_ certificates: [CertificateSpan], futures: [Future] = []) -> [HostTimeline] {
    var futuresOfServer: [Int: [Int]] = [:]
    for (number, future) in futures.enumerated() {
      for server in future.servers { futuresOfServer[server, default: []].append(number) }
    }
    var ofServer: [Int: Set<HostTimeline.Certificate>] = [:]
    for span in certificates {
      ofServer[span.server, default: []]
        .insert(HostTimeline.Certificate(role: span.role, begin: span.begin, end: span.end))
    }
    var blocked: [Int: [HostTimeline.Blocked]] = [:]
    for judged in lockouts {
      let lockout = judged.lockout
      blocked[lockout.server.number, default: []].append(
        HostTimeline.Blocked(
          release: lockout.release.number, begin: lockout.begin, end: lockout.end, extent: lockout.extent,
          isStanding: judged.isStanding, cause: judged.cause))
    }
    return scenario.servers.indices.map { number in
      let server = scenario.servers[number]
      let sorted = (ofServer[number] ?? []).sorted { ($0.role, $0.end) < ($1.role, $1.end) }
      return HostTimeline(
        shown: shown(by: server), entries: entries(of: server), exceptions: exceptions(of: server),
        certificates: sorted,
        blocked: (blocked[number] ?? []).sorted { ($0.begin, $0.release) < ($1.begin, $1.release) },
        futures: futuresOfServer[number] ?? [])
    }
  }

  private func shown(by server: Server) -> [HostTimeline.Shown] {
    server.phases.indices.compactMap { number in
      let next = number + 1 < server.phases.count ? server.phases[number + 1].begin : nil
      let phase = server.phases[number]
      if next == phase.begin { return nil }
      let begin = phase.source == .afterLoss ? max(phase.begin, scenario.now) : phase.begin
      return HostTimeline.Shown(begin: begin, end: next, keys: names.known(phase), source: phase.source)
    }
  }

  private func exceptions(of server: Server) -> [Instant] {
    let ends = server.phases.flatMap(\.views).flatMap(\.landings).compactMap { landing in
      if case .trusted(_, let until?) = landing.trust, until.reason == .exception { until.instant } else { nil }
    }
    return Set(ends).sorted()
  }

  private func entries(of server: Server) -> [HostTimeline.EntryEnd] {
    var ends: [HostTimeline.EntryEnd] = []
    let host = server.host.text
    for release in scenario.releases.indices where isRunning(release) {
      let manifest = scenario.releases[release].manifest
      guard let number = try? manifest.tables.entry(for: host.utf8Span.span, port: server.port) else { continue }
      let entry = manifest.tables.hosts[number]
      guard entry.mode != .off, let end = manifest.tables.expiry(of: entry) else { continue }
      if let last = ends.firstIndex(where: { $0.end == end && $0.action == entry.onExpiry }) {
        ends[last].releases.append(release)
      } else {
        let begin = scenario.releases[release].issued
        ends.append(HostTimeline.EntryEnd(releases: [release], begin: begin, end: end, action: entry.onExpiry))
      }
    }
    return ends
  }

  /// Whether some client runs a release now or later.
  package func isRunning(_ release: Int) -> Bool {
    let run = scenario.run(ofRelease: release)
    return run.begin < scenario.end && run.end.map { $0 > max(scenario.now, run.begin) } ?? true
  }
}
