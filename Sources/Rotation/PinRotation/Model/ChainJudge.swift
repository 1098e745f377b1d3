package import PinFormat

/// Says what clients make of chains that nobody has seen: assumed ones, planned ones, and those that are left after a
/// loss.
///
/// The model knows keys, releases and times. What a client accepts of certificates, it asks.
package protocol ChainJudge: Sendable {
  /// The releases, by index in the scenario, whose trust settings for a server are their own; the others have none.
  func releasesApart(at host: HostName, _ port: UInt16) -> [Int]

  /// The certificate in which a server will present a key: the one that the last release names that names one for it.
  func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest?

  /// The keys above a server's key, by its known certificates, if a release denies one of them in each way up; or nil.
  func deniedIssuers(ofLeaf key: Pin, at host: HostName, _ port: UInt16, byRelease number: Int) -> [Pin?]?

  /// What trust evaluation comes to, for the clients of a release; nil for those of releases without trust settings.
  ///
  /// What isn't known of the chain is none of the lost keys.
  func trust(
    in chain: PresentedChain, _ setup: ServerSetup, at host: HostName, _ port: UInt16, byRelease number: Int?,
    without lost: Set<Pin>, on instant: Instant
  ) -> Landing.Trust
}

extension ChainJudge {
  package func deniedIssuers(ofLeaf key: Pin, at host: HostName, _ port: UInt16, byRelease number: Int) -> [Pin?]? {
    nil
  }
}

/// Takes every chain for valid: for scenarios that are only about keys.
package struct PinsAlone: ChainJudge {
  package init() {}

  package func releasesApart(at host: HostName, _ port: UInt16) -> [Int] { [] }

  package func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest? { nil }

  package func trust(
    in chain: PresentedChain, _ setup: ServerSetup, at host: HostName, _ port: UInt16, byRelease number: Int?,
    without lost: Set<Pin>, on instant: Instant
  ) -> Landing.Trust { .trusted(chain) }
}

/// What a server does whatever its keys are: a change of keys changes none of it.
package struct ServerSetup: Hashable, Sendable {
  /// What is taken for so where nobody looked.
  package static let usual = ServerSetup()

  /// The TLS version that it negotiates.
  package var tlsVersion = TLSVersion.tls13
  /// Whether it sends the certificates of intermediates beside its own.
  package var sendsIntermediates = true
  /// The server's own certificate, where releases name it; nil if none does.
  ///
  /// All clients are shown the same. Another key has another certificate.
  package var leaf: SHA256Digest?

  package init() {}
}

/// The judge of the chains of one server.
package struct ServerJudge: Sendable {
  private let judge: any ChainJudge
  private let host: HostName
  private let port: UInt16
  /// The releases whose views may be others than those of the rest.
  let releasesApart: [Int]

  package init(_ judge: any ChainJudge, host: HostName, port: UInt16) {
    self.judge = judge
    self.host = host
    self.port = port
    releasesApart = judge.releasesApart(at: host, port)
  }

  init(_ scenario: Scenario, _ server: Server) {
    self.init(scenario.judge, host: server.host, port: server.port)
  }

  package func trust(
    in chain: PresentedChain, _ setup: ServerSetup, byRelease number: Int?, without lost: Set<Pin> = [],
    on instant: Instant
  ) -> Landing.Trust {
    judge.trust(in: chain, setup, at: host, port, byRelease: number, without: lost, on: instant)
  }

  /// What clients of a release make of a chain that nobody has seen.
  package func landing(
    _ unseen: UnseenChain, byRelease number: Int?, without lost: Set<Pin> = [], on instant: Instant
  ) -> Landing {
    let answer = trust(in: unseen.chain, unseen.setup, byRelease: number, without: lost, on: instant)
    var landing = Landing(place: unseen.place, judged: answer, setup: unseen.setup)
    // A certificate that is accepted by itself has nothing above it.
    if 1 < answer.chain.pins.count, answer.chain.pins.count < unseen.chain.pins.count { landing.usual = unseen.chain }
    return landing
  }

  /// What a server does once it presents a new chain: the leaf's certificate is new as well.
  package func setup(_ setup: ServerSetup, presenting chain: PresentedChain) -> ServerSetup {
    var setup = setup
    setup.leaf = chain.pins[0].flatMap { judge.certificate(of: $0, at: host, port) }
    return setup
  }

  /// A phase whose chains nobody has seen.
  ///
  /// - Parameters:
  ///   - phase: What is known of it; of its views, only those that releases without trust settings are shown and those
  ///     of releases that were shown others before.
  ///   - views: The views of a release, or of all that have no trust settings, which asks the judge for each new chain.
  /// - Returns: The phase with the views of every release that sees others.
  package func phase(_ phase: ServerPhase, _ views: (_ release: Int?) -> [ClientView]) -> ServerPhase {
    var phase = phase
    let others = Set(phase.otherViews.keys).union(releasesApart)
    phase.views = views(nil)
    phase.otherViews = [:]
    for release in others {
      let own = views(release)
      if own != phase.views { phase.otherViews[release] = own }
    }
    return phase
  }

  /// A phase of which nobody looked what it presents: any one of some chains.
  package func assumed(_ chains: [UnseenChain], at begin: Instant) -> ServerPhase {
    phase(ServerPhase(begin: begin, source: .assumed, views: [])) { release in
      [
        ClientView(
          landings: chains.map { unseen in
            var judged = landing(unseen, byRelease: release, on: begin)
            guard let release, let leaf = unseen.chain.pins[0], judged.trust.chain.pins.count > 1,
              let above = judge.deniedIssuers(ofLeaf: leaf, at: host, port, byRelease: release)
            else { return judged }
            judged.trust = judged.trust.with(PresentedChain([leaf] + above))
            judged.usual = unseen.chain
            return judged
          })
      ]
    }
  }
}
