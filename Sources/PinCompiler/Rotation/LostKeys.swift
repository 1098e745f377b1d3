import PinFormat
import PinRotation

extension Scenario {
  /// The same where some keys are lost from now on, and servers present what is left in place of them.
  ///
  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  func losing(_ lost: [String], _ names: KeyNames) throws(RotationWorldError) -> Scenario {
    var scenario = self
    var pins: Set<Pin> = []
    for name in lost { pins.insert(try names.key(name).pin) }
    for server in servers.indices {
      for phase in servers[server].phases.indices where servers[server].phases[phase].presents(pins) {
        let chain = PresentedChain([nil, nil])
        scenario.servers[server].phases[phase].source = .afterLoss
        scenario.servers[server].phases[phase].views = [ClientView(landings: [Landing(trust: .trusted(chain))])]
        scenario.servers[server].phases[phase].otherViews = [:]
      }
    }
    return scenario
  }
}

extension ServerPhase {
  /// True where one of these keys stands in a chain that some client is shown.
  func presents(_ pins: Set<Pin>) -> Bool {
    guard !pins.isEmpty else { return false }
    return ([views] + otherViews.values).contains { views in
      views.contains { $0.landings.contains { $0.chain?.pins.contains { $0.map(pins.contains) ?? false } ?? false } }
    }
  }
}
