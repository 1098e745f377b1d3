package import PinFormat
import PinValidator

/// What the loss of one key would do: stolen, so that it has to be denied, or destroyed, so that nobody can present it.
package struct KeyLoss: Hashable, Sendable {
  /// A server that some clients could no longer reach, whatever it presents in place of the key.
  package struct Stranded: Hashable, Sendable {
    package var server: Numbered<Server>
    /// When the key would have to be lost for that: the first such instant.
    package var instant: Instant
    /// A release whose clients accept none of the replacements that the others accept.
    package var release: Numbered<ClientRelease>

    package init(server: Numbered<Server>, instant: Instant, release: Numbered<ClientRelease>) {
      self.server = server
      self.instant = instant
      self.release = release
    }
  }

  package var pin: Pin
  /// The servers that present the key now or later, by their index in the scenario.
  package var presenting: [Int]
  package var stranded: [Stranded]

  package init(pin: Pin, presenting: [Int], stranded: [Stranded]) {
    self.pin = pin
    self.presenting = presenting
    self.stranded = stranded
  }
}

/// Why a key can't take the place of a lost one.
package struct LossObjection: Hashable, Sendable {
  package var key: Pin
  /// A release whose clients block what can be presented with the key, by its index in the scenario.
  package var release: Int
  /// Why they block it, in one clause; nil if their entry doesn't have the key.
  package var clause: String?

  init(key: Pin, release: Int, cause: Cause?) {
    self.key = key
    self.release = release
    clause = cause?.clause
  }
}

/// Says which servers the loss of a key would cut off, because no one chain suits all clients any more.
///
/// A key is lost if it was stolen and must be denied, or if it was destroyed: neither lets the server present
/// it. What it can present instead is in ``Replacements``. Looked at are now and each later instant at which a phase
/// begins, a release appears, or an expiry lets clients through who must still be kept from denied keys. Between
/// these clients only go, which makes it easier; and any other expiry lets everything pass, or nothing, whatever key is
/// lost. Of what is presented now only pins count, as with lockouts by pins; what is presented in its place has to be
/// valid as well.
package struct LossAnalysis: Sendable {
  private let scenario: Scenario
  private let runs: [(begin: Instant, end: Instant?)]
  /// The releases that give some key a position.
  private let placing: [Int]

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    runs = scenario.releases.indices.map { scenario.run(ofRelease: $0) }
    placing = scenario.releases.indices.filter { number in
      scenario.releases[number].manifest.tables.keys.contains { $0.position != nil }
    }
  }

  /// The loss of every key that some server presents, by pin.
  ///
  /// Uses memory for one number for each server and key that it presents.
  package func losses() -> [KeyLoss] {
    var byPin: [Pin: KeyLoss] = [:]
    for server in scenario.servers.indices {
      add(server, only: nil) { pin, stranded in
        byPin[pin, default: KeyLoss(pin: pin, presenting: [], stranded: [])].add(server, stranded)
      }
    }
    return byPin.values.sorted { $0.pin.digest < $1.pin.digest }
  }

  /// The loss of one key; nobody presents it where no server is named.
  package func loss(of pin: Pin) -> KeyLoss {
    var loss = KeyLoss(pin: pin, presenting: [], stranded: [])
    for server in scenario.servers.indices {
      add(server, only: pin) { _, stranded in loss.add(server, stranded) }
    }
    return loss
  }

  /// The chain in place of one with a lost key that most of the clients accept, the one that changes least first.
  ///
  /// - Parameters:
  ///   - pin: The key that is lost.
  ///   - server: The server's index in the scenario.
  ///   - instant: When it is lost.
  ///   - unwanted: Keys that nobody would present instead.
  /// - Returns: The chain, and a release whose clients refuse it; nil where the server doesn't present the key at that
  ///   instant.
  package func replacement(
    forLossOf pin: Pin, server: Int, at instant: Instant, without unwanted: Set<Pin> = []
  ) -> (chain: PresentedChain, refusing: Int?)? {
    guard let moment = moment(server, at: instant, placed(at: server)) else { return nil }
    for view in 0..<moment.viewCount {
      let chains = moment.chains(ofView: view, with: pin)
      guard !chains.isEmpty else { continue }
      return moment.best(
        of: Replacements(of: chains, losing: pin, scenario.standings), for: moment.clients, without: unwanted)
    }
    return nil
  }

  /// Why none of the other keys of a server replaces one whose loss strands somebody.
  package func objections(toLossOf pin: Pin, _ stranded: KeyLoss.Stranded) -> [LossObjection] {
    let server = stranded.server.number
    return moment(server, at: stranded.instant, placed(at: server))?.objections(toLossOf: pin) ?? []
  }

  /// Hands over each key that a server presents, with the first instant at which its loss would strand somebody.
  private func add(_ server: Int, only wanted: Pin?, _ body: (Pin, KeyLoss.Stranded?) -> Void) {
    var pins: [Pin] = []
    var stranded: [KeyLoss.Stranded?] = []
    let placed = placed(at: server)
    for instant in instants(of: scenario.servers[server]) {
      guard let moment = moment(server, at: instant, placed) else { continue }
      for pin in moment.presentedPins where wanted == nil || wanted == pin {
        let number: Int
        if let known = pins.firstIndex(of: pin) {
          guard stranded[known] == nil else { continue }
          number = known
        } else {
          number = pins.count
          pins.append(pin)
          stranded.append(nil)
        }
        if let release = moment.stranded(byLossOf: pin) {
          stranded[number] = KeyLoss.Stranded(
            server: Numbered(server, of: scenario.servers), instant: instant,
            release: Numbered(release, of: scenario.releases))
        }
      }
    }
    for (pin, stranded) in zip(pins, stranded) { body(pin, stranded) }
  }

  private func instants(of server: Server) -> [Instant] {
    var instants = [scenario.now]
    func add(_ instant: Instant) {
      if scenario.now < instant, instant < scenario.end, !instants.contains(instant) { instants.append(instant) }
    }
    for phase in server.phases { add(phase.begin) }
    for (number, release) in scenario.releases.enumerated() {
      add(release.issued)
      let clocks = release.manifest.clocksToReportOnly(host: server.host.text, port: server.port)
      for clock in clocks where clock < runs[number].end ?? scenario.end { add(clock) }
    }
    return instants.sorted()
  }

  /// Where keys of a server stand of which nothing else says it: as the newest release describes each that gives it a
  /// position, whether or not anybody runs it any more.
  private func placed(at number: Int) -> [Pin: EntryKey] {
    let server = scenario.servers[number]
    func keys(_ release: Int) -> [EntryKey] {
      scenario.releases[release].manifest.entryKeys(host: server.host.text, port: server.port)
    }
    var wanted: Set<Pin> = []
    for (release, run) in runs.enumerated() where run.end.map({ scenario.now < $0 }) ?? true {
      for key in keys(release) where key.position == nil && scenario.standings[key.pin] == nil {
        wanted.insert(key.pin)
      }
    }
    var placed: [Pin: EntryKey] = [:]
    for release in placing.reversed() where !wanted.isEmpty {
      for key in keys(release) where key.position != nil && wanted.remove(key.pin) != nil { placed[key.pin] = key }
    }
    return placed
  }

  /// Clients and server at an instant; nil where nothing is known of what the server presents then.
  private func moment(_ number: Int, at instant: Instant, _ placed: [Pin: EntryKey]) -> LossMoment? {
    let server = scenario.servers[number]
    guard let phase = server.phases.last(where: { $0.begin <= instant }) else { return nil }
    let host = server.host.text
    var clients: [LossMoment.Client] = []
    for (release, run) in runs.enumerated() where run.begin <= instant {
      if let end = run.end, end <= instant { continue }
      clients.append(
        LossMoment.Client(
          release: release, manifest: scenario.releases[release].manifest,
          governance: scenario.releases[release].governance(of: server, at: instant, .pins)))
    }
    return LossMoment(
      host: host, port: server.port, instant: instant, phase: phase, standings: scenario.standings, placed: placed,
      clients: clients, judge: ServerJudge(scenario, server))
  }
}

extension KeyLoss {
  fileprivate mutating func add(_ server: Int, _ found: Stranded?) {
    presenting.append(server)
    if let found { stranded.append(found) }
  }
}
