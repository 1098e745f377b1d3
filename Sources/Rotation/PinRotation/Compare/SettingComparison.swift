import PinFormat
import PinValidator

/// What of a whole manifest differs.
struct SettingComparison {
  /// The riskiest first, then in the order of meaning.
  private(set) var changes: [SettingChange] = []

  init(from before: Manifest, to after: Manifest) {
    for field in HeaderField.allCases { compare(field, before, after) }
    let sorted = changes.enumerated().sorted { ($1.element.risk, $0.offset) < ($0.element.risk, $1.offset) }
    changes = sorted.map(\.element)
  }

  private mutating func compare(_ field: HeaderField, _ before: Manifest, _ after: Manifest) {
    func add(_ name: String, _ before: String, _ after: String, _ risk: ChangeRisk) {
      guard !before.utf8.elementsEqual(after.utf8) else { return }
      changes.append(SettingChange(field: name, before: before, after: after, risk: risk))
    }
    func add(_ risk: ChangeRisk) {
      let (old, new) = (before[field].items, after[field].items)
      add(field.rawValue, old.joined(separator: ", "), new.joined(separator: ", "), risk)
    }
    func add(_ name: String, until end: KeyPath<Manifest, Instant>, ifShorter risk: ChangeRisk) {
      let seconds = [before, after].map { $0[keyPath: end].secondsSinceEpoch - $0.issued.secondsSinceEpoch }
      add(name, DurationText.of(seconds[0]), DurationText.of(seconds[1]), seconds[1] < seconds[0] ? risk : .none)
    }
    switch field {
    case .audience: add(.mayBlock)
    case .onStale:
      add(
        ChangeRisk(
          strictness: before.onStale.strictness(where: before.unpinnedHosts),
          after.onStale.strictness(where: after.unpinnedHosts)))
    case .expires:
      add("expires-after", until: \.expires, ifShorter: after.onStale.riskOfComingSooner(where: after.unpinnedHosts))
    case .refreshAfter: add("refresh-after", until: \.refreshAfter, ifShorter: .none)
    case .unpinnedHosts: add(after.unpinnedHosts == .deny ? .mayBlock : .weakens)
    case .critical: add(Set(after.critical).subtracting(before.critical).isEmpty ? .none : .mayBlock)
    case .serial, .issued, .previous, .sources, .commit, .compiler, .drasticChange: break
    }
  }
}

extension SettingChange {
  /// Whether it is about hosts that no entry pins.
  var isOfUnpinnedHosts: Bool { field == HeaderField.unpinnedHosts.rawValue }

  /// What becomes of the adoption window, which no manifest says; nil where it stays.
  ///
  /// A shorter one leaves clients out of all that is judged: those that still run an older release.
  ///
  /// - Parameters:
  ///   - before: In seconds.
  ///   - after: In seconds.
  package init?(ofWindowFrom before: Int64, to after: Int64) {
    guard before != after else { return nil }
    self.init(
      field: "client-max-age", before: DurationText.of(before), after: DurationText.of(after),
      risk: after < before ? .mayBlock : .none)
  }
}

extension ChangeRisk {
  /// What it means that something is stricter or less strict than before.
  init(strictness before: Int, _ after: Int) {
    self = after < before ? .weakens : after > before ? .mayBlock : .none
  }

  /// What it means that a set of what is taken for good loses some and gains others.
  init(gains: Bool, loses: Bool) {
    self = gains ? .weakens : loses ? .mayBlock : .none
  }
}

extension Mode {
  /// How much it asks of a chain.
  package var strictness: Int {
    switch self {
    case .off: 0
    case .reportOnly: 1
    case .enforce: 2
    }
  }
}

extension ExpiryAction {
  /// How much it asks of a chain from then on.
  package var strictness: Int {
    switch self {
    case .unpinned: 0
    case .reportOnly: 1
    case .enforce: 2
    case .block: 3
    }
  }

  /// The same, by what the manifest says of hosts without pins.
  func strictness(where unpinnedHosts: UnpinnedHosts) -> Int {
    blocks(where: unpinnedHosts) ? ExpiryAction.block.strictness : strictness
  }

  /// What it means that the action holds from an earlier time on.
  func riskOfComingSooner(where unpinnedHosts: UnpinnedHosts) -> ChangeRisk {
    switch self {
    case _ where blocks(where: unpinnedHosts): .mayBlock
    case .unpinned, .reportOnly: .weakens
    case .enforce: .none
    case .block: .mayBlock
    }
  }
}
