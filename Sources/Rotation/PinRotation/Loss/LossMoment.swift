import PinFormat
import PinValidator

/// One server and all its clients at one instant.
struct LossMoment {
  /// The clients of one release.
  struct Client {
    /// By its index in the scenario.
    var release: Int
    var manifest: LoadedManifest
    /// What the release says of the server's host at the instant.
    var governance: Governance
  }

  var host: String
  var port: UInt16
  var instant: Instant
  var phase: ServerPhase
  let standings: [Pin: KeyStanding]
  /// Says what clients make of what is presented in place of a lost key.
  private let judge: ServerJudge
  /// By release.
  var clients: [Client]
  /// The keys of all running releases, those of the newest first; each once, where a release says that it is.
  ///
  /// Looked up once: every key that is lost asks for them.
  private let keys: [EntryKey]

  // `placed`: the keys to which any release gives a position, even one that no client runs any more, because the
  // position of a key doesn't change.
  init(
    host: String, port: UInt16, instant: Instant, phase: ServerPhase, standings: [Pin: KeyStanding],
    placed: [Pin: EntryKey], clients: [Client], judge: ServerJudge
  ) {
    self.judge = judge
    self.standings = standings
    self.host = host
    self.port = port
    self.instant = instant
    self.phase = phase
    self.clients = clients
    var seen: Set<Pin> = []
    let all = clients.reversed().flatMap { $0.manifest.entryKeys(host: host, port: port) }
    keys = all.filter { seen.insert($0.pin).inserted }.map { placed[$0.pin] ?? $0 }
  }

  /// The number of kinds of client that are shown something of their own.
  var viewCount: Int { clients.reduce(0) { max($0, phase.views(ofRelease: $1.release).count) } }

  /// Every known key that is presented to somebody, in the order of views and chains.
  var presentedPins: [Pin] {
    var pins: [Pin] = []
    var seen: Set<Pin> = []
    for client in clients {
      for view in phase.views(ofRelease: client.release) {
        for landing in view.landings {
          for case let pin? in landing.trust.chain.pins where seen.insert(pin).inserted { pins.append(pin) }
        }
      }
      // All releases see the same.
      if phase.otherViews.isEmpty { break }
    }
    return pins
  }

  /// The chains that somebody of a kind is shown with a key in them, and what the server does that presents them.
  func chains(ofView number: Int, with pin: Pin) -> [(chain: PresentedChain, setup: ServerSetup)] {
    var chains: [(chain: PresentedChain, setup: ServerSetup)] = []
    for client in clients {
      for landing in landings(client, number) {
        guard let chain = landing.chain(with: pin), !chains.contains(where: { $0 == (chain, landing.setup) }) else {
          continue
        }
        chains.append((chain, landing.setup))
      }
      if phase.otherViews.isEmpty { break }
    }
    return chains
  }

  /// A release whose clients can't go on when a key is lost, whatever is presented instead; nil where all can.
  ///
  /// Clients who can't go on even while the key is there aren't stranded by its loss.
  func stranded(byLossOf pin: Pin) -> Int? {
    for view in 0..<viewCount {
      let chains = chains(ofView: view, with: pin)
      guard !chains.isEmpty else { continue }
      if phase.isUncertain {
        // Any one of the landings may be the only one.
        for chain in chains {
          let clients = clients.filter { client in
            landings(client, view).contains {
              ($0.shown == chain.chain || $0.trust.chain == chain.chain) && passes(client, $0)
            }
          }
          if let release = best(of: Replacements(of: [chain], losing: pin, standings), for: clients).refusing {
            return release
          }
        }
      } else {
        let clients = clients.filter { client in landings(client, view).contains { passes(client, $0) } }
        if isSpared(view, from: pin, for: clients) { continue }
        if let release = best(of: Replacements(of: chains, losing: pin, standings), for: clients).refusing {
          return release
        }
      }
    }
    return nil
  }

  /// Why each other key of the running releases can't take the place of a lost one: the first client that blocks what
  /// can be presented with it.
  func objections(toLossOf pin: Pin) -> [LossObjection] {
    var found: [LossObjection] = []
    for view in 0..<viewCount {
      let chains = chains(ofView: view, with: pin)
      guard !chains.isEmpty else { continue }
      let replacements = Replacements(of: chains, losing: pin, standings)
      let clients = clients.filter { client in landings(client, view).contains { passes(client, $0) } }
      for key in keys where key.pin != pin && !found.contains(where: { $0.key == key.pin }) {
        guard let chain = replacements.with(key).first else { continue }
        let objection = clients.lazy.compactMap { client in
          self.cause(client, chain, in: replacements).map { cause in
            let has = client.manifest.entryKeys(host: host, port: port).contains { $0.pin == key.pin }
            return LossObjection(key: key.pin, release: client.release, cause: has ? cause : nil)
          }
        }.first
        if let objection { found.append(objection) }
      }
    }
    return found
  }

  /// Why a client blocks a chain that nobody has seen; nil if it doesn't.
  private func cause(_ client: Client, _ chain: PresentedChain, in replacements: Replacements) -> Cause? {
    switch client.governance {
    case .answered(.block(let reason, _)): return Cause(reason)
    case .answered: return nil
    case .pinned(let entry):
      if case .block(let reason, _) = client.manifest.decide(chain, for: entry) { return Cause(reason) }
    }
    var answers: [Int?: Bool] = [:]
    guard !passes(client, chain, in: replacements, &answers), let setup = replacements.setups.first else { return nil }
    let release = judge.releasesApart.contains(client.release) ? client.release : nil
    let trust = judge.trust(
      in: chain, judge.setup(setup, presenting: chain), byRelease: release, without: [replacements.pin], on: instant)
    return switch trust {
    case .refused(let reason, _, _): .untrusted(reason)
    case .trusted: .exceptionEnded
    }
  }

  /// The first replacement that most clients accept, and the release of one that doesn't, where there is one.
  func best(
    of replacements: Replacements, for clients: [Client], without unwanted: Set<Pin> = []
  ) -> (chain: PresentedChain, refusing: Int?) {
    var chain = replacements.least
    var refusing: Int?
    var most = -1
    func isGood(_ other: PresentedChain) -> Bool {
      var count = 0
      var first: Int?
      // Releases without trust settings have one answer.
      var answers: [Int?: Bool] = [:]
      for client in clients {
        if passes(client, other, in: replacements, &answers) {
          count += 1
        } else if first == nil {
          first = client.release
        }
      }
      if count > most { (chain, refusing, most) = (other, first, count) }
      return first == nil
    }
    if replacements.ofTheRest.contains(where: isGood) { return (chain, nil) }
    for key in keys where !unwanted.contains(key.pin) && replacements.with(key).contains(where: isGood) {
      return (chain, nil)
    }
    return (chain, refusing)
  }

  /// Whether some landing doesn't need the key and suits all.
  private func isSpared(_ view: Int, from pin: Pin, for clients: [Client]) -> Bool {
    guard let first = clients.first else { return true }
    return landings(first, view).indices.contains { number in
      clients.allSatisfy { client in
        let own = landings(client, view)
        return own.indices.contains(number) && own[number].chain(with: pin) == nil && passes(client, own[number])
      }
    }
  }

  private func landings(_ client: Client, _ view: Int) -> [Landing] {
    let views = phase.views(ofRelease: client.release)
    // If a release has fewer kinds of clients, the others see the same as the last.
    return views.indices.contains(view) ? views[view].landings : views.last?.landings ?? []
  }

  /// Whether a client goes on with a chain that nobody has seen.
  private func passes(
    _ client: Client, _ chain: PresentedChain, in replacements: Replacements, _ answers: inout [Int?: Bool]
  ) -> Bool {
    guard client.manifest.passes(chain, client.governance) else { return false }
    guard case .pinned = client.governance else { return true }
    let release = judge.releasesApart.contains(client.release) ? client.release : nil
    if let known = answers[release] { return known }
    let isAccepted = replacements.setups.contains { setup in
      let setup = judge.setup(setup, presenting: chain)
      return switch judge.trust(in: chain, setup, byRelease: release, without: [replacements.pin], on: instant) {
      case .trusted(_, let until): until.map { instant < $0.instant } ?? true
      case .refused: false
      }
    }
    answers[release] = isAccepted
    return isAccepted
  }

  private func passes(_ client: Client, _ landing: Landing) -> Bool {
    client.manifest.obstacle(landing, client.governance, at: instant, .pins) == nil
  }
}

extension Landing {
  fileprivate func chain(with pin: Pin) -> PresentedChain? {
    guard trust.chain.pins.contains(pin) else { return nil }
    return shown.pins.contains(pin) ? shown : trust.chain
  }
}
