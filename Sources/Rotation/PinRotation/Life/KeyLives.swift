package import PinFormat
import PinValidator

/// The lives of some keys, read from a scenario: from what is released, and from what servers are seen to present.
///
/// The candidate and what is planned aren't facts, and count for nothing here.
package struct KeyLives {
  /// What a release says of a key.
  private enum Listing: Hashable {
    case backup
    case active
  }

  private struct Record {
    /// For each release, in order; nil where it has the key in no set.
    var listings: [Listing?]
    var isDenied: [Bool]
    var presentedBy: [Int] = []
    /// Whether some server that is checked against the key now wasn't looked at, or some was.
    var hasUnseenServer = false
    var hasSeenServer = false
  }

  private let scenario: Scenario
  private let released: [Int]
  private var records: [Pin: Record] = [:]

  /// Reads what is known of some keys.
  ///
  /// - Parameters:
  ///   - pins: The keys.
  ///   - scenario: The releases and servers.
  ///   - keySet: The name of the one key set that counts; nil for all.
  package init(of pins: Set<Pin>, in scenario: Scenario, keySet: String? = nil) {
    self.scenario = scenario
    released = scenario.releases.indices.filter { scenario.releases[$0].origin == .released }
    let none = Record(
      listings: [Listing?](repeating: nil, count: released.count),
      isDenied: [Bool](repeating: false, count: released.count))
    for pin in pins { records[pin] = none }
    guard !pins.isEmpty else { return }
    for (place, number) in released.enumerated() { read(scenario.releases[number], at: place, keySet) }
    readServers(keySet)
  }

  private mutating func read(_ release: ClientRelease, at place: Int, _ keySet: String?) {
    let tables = release.manifest.tables
    let pins = tables.keys.indices.map { number in
      let pin = tables.pin(ofKey: number)
      return records[pin] == nil ? nil : pin
    }
    for (number, pin) in pins.enumerated() where tables.keys[number].isDenied {
      if let pin { records[pin]?.isDenied[place] = true }
    }
    for set in tables.keySetNumbers where keySet == nil || tables.name(ofKeySet: set) == keySet {
      for member in tables.members(ofKeySet: set).map({ tables.member($0) }) {
        guard let pin = pins[member.key] else { continue }
        if !member.isBackup {
          records[pin]?.listings[place] = .active
        } else if records[pin]?.listings[place] == nil {
          records[pin]?.listings[place] = .backup
        }
      }
    }
  }

  /// Which servers present a key now, and whether those were looked at that the newest release holds to it.
  private mutating func readServers(_ keySet: String?) {
    let newest = released.last.map { scenario.releases[$0].manifest.tables }
    var members: [Int: [Pin]] = [:]
    for (number, server) in scenario.servers.enumerated() {
      guard let phase = server.phases.first else { continue }
      var held: [Pin] = []
      if let newest, let entry = try? newest.entry(for: server.host.text.utf8Span.span, port: server.port),
        let set = newest.hosts[entry].keySet
      {
        guard keySet == nil || newest.name(ofKeySet: set) == keySet else { continue }
        held =
          members[set]
          ?? newest.members(ofKeySet: set).map { newest.pin(ofKey: newest.member($0).key) }
          .filter { records[$0] != nil }
        members[set] = held
      } else if keySet != nil {
        continue
      }
      let isSeen = phase.source == .observed
      for pin in held {
        if isSeen { records[pin]?.hasSeenServer = true } else { records[pin]?.hasUnseenServer = true }
      }
      guard isSeen else { continue }
      for pin in phase.presentedPins where records[pin] != nil { records[pin]?.presentedBy.append(number) }
    }
  }

  /// The life of one of the keys.
  ///
  /// - Parameters:
  ///   - pin: The key.
  ///   - hasBeenServed: Whether its owners say that servers have presented it.
  /// - Returns: Where it is; nil for a key that wasn't asked about.
  package func life(of pin: Pin, hasBeenServed: Bool = false) -> KeyLife? {
    guard let record = records[pin] else { return nil }
    var state = KeyLifeState()
    if hasBeenServed { state.apply(.served) }
    var life = KeyLife(pin: pin, status: .planned, presentedBy: record.presentedBy)
    for place in released.indices {
      let number = released[place]
      let listing = record.listings[place]
      switch listing {
      case .active: state.apply(.listedAsActive)
      case .backup: state.apply(.listedAsBackup)
      case nil: state.apply(.unlisted)
      }
      if record.isDenied[place] { state.apply(.denied) }
      if listing == nil {
        if life.publishedSince != nil { life.retiredBy = number }
        life.publishedSince = nil
      } else {
        life.publishedSince = life.publishedSince ?? number
        life.retiredBy = nil
      }
      life.deniedSince = record.isDenied[place] ? life.deniedSince ?? number : nil
    }
    life.isObserved = record.hasSeenServer && !record.hasUnseenServer
    if !record.presentedBy.isEmpty { state.apply(.presented) } else if life.isObserved { state.apply(.notPresented) }
    life.status = state.status
    if let since = life.publishedSince {
      let others = released.prefix { $0 < since }.compactMap { scenario.run(ofRelease: $0).end }
      life.adopted = others.reduce(scenario.releases[since].issued, max)
    } else {
      let having = released.indices.filter { record.listings[$0] != nil }
      life.keptUntil = having.compactMap { scenario.run(ofRelease: released[$0]).end }.max()
    }
    return life
  }
}

extension ServerPhase {
  /// The known keys of all chains that some client is shown.
  package var presentedPins: Set<Pin> {
    var pins: Set<Pin> = []
    for landing in allViews.lazy.flatMap(\.landings) { pins.formUnion(landing.trust.chain.pins.compactMap { $0 }) }
    return pins
  }
}
