import PinFormat
import PinPolicy
import PinRotation

extension Scenario {
  /// The same where some keys are lost from now on, and servers present what suits most clients in place of them.
  ///
  /// Of a server that presents other keys as well, as for another type of key, the others stay. Where nobody looked, the
  /// lost key is taken to be what was presented.
  ///
  /// - Returns: The scenario, in which no lost key is presented.
  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  func losing(_ lost: [String], _ names: KeysByName) throws(RotationWorldError) -> Scenario {
    var pins: Set<Pin> = []
    for name in lost { pins.insert(try names.key(name).pin) }
    var scenario = self
    for pin in pins.sorted(by: { $0.digest < $1.digest }) {
      let analysis = LossAnalysis(scenario)
      for server in servers.indices {
        for number in servers[server].phases.indices where scenario.servers[server].phases[number].presents([pin]) {
          let instant = max(now, servers[server].phases[number].begin)
          let chain = analysis.replacement(forLossOf: pin, server: server, at: instant)?.chain
          scenario.servers[server].phases[number].replace(
            chain ?? PresentedChain([nil, nil]), inPlaceOf: pin, lost: pins,
            ServerJudge(judge, host: servers[server].host, port: servers[server].port), at: instant)
        }
      }
    }
    return scenario
  }
}

extension ServerPhase {
  /// True where one of these keys is in a chain that some client is shown.
  func presents(_ pins: Set<Pin>) -> Bool {
    func presents(_ views: [ClientView]) -> Bool {
      views.contains { $0.landings.contains { $0.trust.chain.holds(pins) } }
    }
    return presents(views) || otherViews.values.contains(where: presents)
  }

  /// Puts a chain in the place of those with a key; what the chain has of other lost keys is unknown then.
  fileprivate mutating func replace(
    _ chain: PresentedChain, inPlaceOf pin: Pin, lost: Set<Pin>, _ judge: ServerJudge, at instant: Instant
  ) {
    let left = PresentedChain(chain.pins.map { pin in pin.flatMap { lost.contains($0) ? nil : $0 } })
    let isUncertain = isUncertain
    func replaced(_ view: ClientView, _ release: Int?) -> ClientView {
      guard view.landings.contains(where: { $0.trust.chain.holds([pin]) }) else { return view }
      var landings: [Landing] = []
      for landing in view.landings {
        let isLost = landing.trust.chain.holds([pin])
        guard isLost || !isUncertain else { continue }
        var next = landing
        if isLost {
          let unseen = UnseenChain(place: landing.place, left, judge.setup(landing.setup, presenting: left))
          next = judge.landing(unseen, byRelease: release, without: lost, on: instant)
        }
        if !landings.contains(where: { $0.trust == next.trust }) { landings.append(next) }
      }
      if landings.count == 1 { landings[0].place = nil }
      return ClientView(kind: view.kind, landings: landings)
    }
    let before = self
    source = .afterLoss
    self.isUncertain = false
    self = judge.phase(self) { release in
      (release.map { before.views(ofRelease: $0) } ?? before.views).map { replaced($0, release) }
    }
  }
}

extension PresentedChain {
  fileprivate func holds(_ keys: Set<Pin>) -> Bool {
    pins.contains { pin in pin.map(keys.contains) ?? false }
  }
}
