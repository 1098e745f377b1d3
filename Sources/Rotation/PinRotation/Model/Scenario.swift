package import PinFormat
package import PinValidator

/// What is known of a key besides its pin.
package struct KeyStanding: Hashable, Sendable {
  package var position: ChainPosition
  /// Whether the policy has it anywhere above the leaf (`position: ca`), whatever its position in what is planned.
  package var isAnyAuthority = false
  /// The keys above it in each chain that is known, from the lowest up; nil for one that isn't known.
  package var issuers: [[Pin?]]

  package init(_ position: ChainPosition, issuers: [[Pin?]] = []) {
    self.position = position
    self.issuers = issuers
  }
}

/// The releases, the servers and the time between: all that the model looks at (`docs/rotation.md`).
package struct Scenario: Sendable {
  /// The instant that counts as now; the past is not judged.
  package var now: Instant
  /// The instant up to which is looked ahead; itself not looked at.
  package var end: Instant
  /// The adoption window in seconds: for how long after a release some clients may still run the one before it.
  package var window: Int64
  /// In order of release: serials and instants rise.
  package var releases: [ClientRelease]
  /// Sorted by host, then port.
  package var servers: [Server]
  /// Where keys are and who certified them, as far as files and evidence show it.
  package var standings: [Pin: KeyStanding]
  /// Says what clients make of chains that nobody has seen.
  package var judge: any ChainJudge

  package init(
    now: Instant, end: Instant, window: Int64, releases: [ClientRelease], servers: [Server],
    standings: [Pin: KeyStanding] = [:], judge: any ChainJudge = PinsAlone()
  ) {
    self.now = now
    self.end = end
    self.window = window
    self.releases = releases
    self.servers = servers
    self.standings = standings
    self.judge = judge
  }

  /// Up to when is looked ahead, behind the last release or planned step.
  package static func end(after last: Instant, window: Int64) -> Instant {
    last.adding(seconds: window).adding(seconds: 86_400)
  }

  func standingKey(_ key: Manifest.Key) -> StandingKey {
    StandingKey(key.name, key.pin, position: key.position, among: standings)
  }

  /// From when until when some client may run a release; the last has no end.
  ///
  /// A client that blocks hosts with a stale manifest runs an older one until it expires at the latest. One that has the
  /// newest goes on with it, whatever the newest then says.
  package func run(ofRelease number: Int) -> (begin: Instant, end: Instant?) {
    let release = releases[number]
    guard number + 1 < releases.count else { return (release.issued, nil) }
    let superseded = releases[number + 1].issued
    var end = superseded.adding(seconds: window)
    if let seenUntil = release.seenUntil { end = max(end, seenUntil) }
    let header = release.manifest.tables.header
    if header.onStale.blocks(where: header.unpinnedHosts) { end = min(end, max(superseded, header.expires)) }
    return (release.issued, end)
  }

  /// Until when some client may run a release by the adoption window alone; nil for the last.
  package func windowEnd(ofRelease number: Int) -> Instant? {
    number + 1 < releases.count ? releases[number + 1].issued.adding(seconds: window) : nil
  }

  /// How many servers have pins in some release: others are there because clients block them for having none.
  package var pinnedServerCount: Int {
    servers.count { server in
      releases.reversed().contains { !$0.manifest.entryKeys(host: server.host.text, port: server.port).isEmpty }
    }
  }

  /// Whether the adoption window after a release has passed, so that every client has the one that follows.
  package func isAdopted(_ number: Int) -> Bool {
    number + 1 < releases.count && releases[number + 1].issued.adding(seconds: window) <= now
  }
}

/// A manifest that clients have, or will have.
package struct ClientRelease: Sendable {
  /// How sure it is that clients have it.
  package enum Origin: Hashable, Sendable {
    /// It is out.
    case released
    /// What the policy says now, as it would be released at the instant that counts as now.
    case candidate
    /// A later release that the policy's dates ask for.
    case planned
  }

  /// As messages name it: `serial 7`, `git:main`, `this policy`.
  package var name: String
  /// Nil for what was compiled from sources rather than released.
  package var serial: Int64?
  /// From when on clients may have it.
  package var issued: Instant
  package var origin: Origin
  /// What those clients decide by.
  ///
  /// Where releases go on (see `docs/rotation.md`), its own expiry is put beyond the end of the scenario.
  package var manifest: LoadedManifest
  /// Until when clients run it at least, since they were seen to after the adoption window; nil where nobody saw that.
  package var seenUntil: Instant?

  package init(name: String, serial: Int64?, issued: Instant, origin: Origin, manifest: LoadedManifest) {
    self.name = name
    self.serial = serial
    self.issued = issued
    self.origin = origin
    self.manifest = manifest
  }
}
