import PinFormat
import PinPolicy
import PinRotation
import PinValidator

/// Where a key stands, by the releases and by what servers are known to present.
struct KeyStanding {
  /// The first release that has it, by its index in the scenario.
  var firstRelease: Int?
  /// The name of the newest release, where that has it.
  var newestRelease: String?
  /// The key set of the policy by which a pinned host is held to it.
  var keySet: Policy.KeySet?
  /// The servers that present it now, by evidence.
  var presentedBy: [Server] = []
  /// True where there is evidence of every server that the policy holds to it, and there is one at least.
  var isObserved = false
}

/// The standings of the keys that have a `status:` or `steps:`; of the others nothing is asked.
struct KeyStandings {
  private var standings: [Pin: KeyStanding] = [:]

  init(_ facts: RotationFacts) {
    let asked = Set(facts.policy.keys.filter(\.tellsItsLife).compactMap(\.pin))
    guard !asked.isEmpty else { return }
    for pin in asked { standings[pin] = KeyStanding() }
    addReleases(facts, asked)
    for use in facts.input.keySetsInUse {
      for member in use.set.members {
        if let pin = facts.policy.keys[member.key].pin, standings[pin]?.keySet == nil {
          standings[pin]?.keySet = use.set
        }
      }
    }
    addServers(facts, asked)
  }

  subscript(key: Policy.Key) -> KeyStanding { key.pin.flatMap { standings[$0] } ?? KeyStanding() }

  private mutating func addReleases(_ facts: RotationFacts, _ asked: Set<Pin>) {
    let releases = facts.scenario.releases
    let newest = releases.lastIndex { $0.origin == .released }
    for number in releases.indices where releases[number].origin == .released {
      for pin in releases[number].pinsInSets.intersection(asked) {
        if standings[pin]?.firstRelease == nil { standings[pin]?.firstRelease = number }
        if number == newest { standings[pin]?.newestRelease = releases[number].name }
      }
    }
  }

  private mutating func addServers(_ facts: RotationFacts, _ asked: Set<Pin>) {
    var unseen: Set<Pin> = []
    for (number, server) in facts.scenario.servers.enumerated() {
      let held = facts.keySet(ofServer: number)?.members.compactMap { facts.policy.keys[$0.key].pin } ?? []
      let phase = server.phases.last { $0.begin <= facts.scenario.now }
      guard let phase, phase.source == .observed, phase.views.contains(where: { !$0.landings.isEmpty }) else {
        unseen.formUnion(held)
        continue
      }
      for pin in held { standings[pin]?.isObserved = true }
      for pin in phase.shownPins.intersection(asked) { standings[pin]?.presentedBy.append(server) }
    }
    for pin in unseen { standings[pin]?.isObserved = false }
  }
}

extension Policy.Key {
  /// True where the policy says where the key stands in its life, or when it is to take a step.
  var tellsItsLife: Bool { status != nil || !steps.dated.isEmpty }
}

extension ClientRelease {
  /// The keys of all sets that its entries use.
  fileprivate var pinsInSets: Set<Pin> {
    let tables = manifest.tables
    var members: Set<Int> = []
    for set in Set(tables.hosts.lazy.compactMap(\.keySet)) {
      members.formUnion(tables.members(ofKeySet: set).map { tables.member($0).key })
    }
    return Set(members.compactMap { tables.pin(ofKey: $0) })
  }
}

extension ServerPhase {
  /// Every known key of every chain.
  fileprivate var shownPins: Set<Pin> {
    Set(
      views.flatMap(\.landings).flatMap { landing -> [Pin] in
        guard case .trusted(let chain, _) = landing.trust else { return [] }
        return chain.pins.compactMap { $0 }
      })
  }
}
