import PinFormat

/// What of a whole manifest differs.
struct SettingComparison {
  /// The riskiest first, then in the order of meaning.
  private(set) var changes: [SettingChange] = []

  init(from before: Manifest, to after: Manifest) {
    let action = after.onStale
    add("audience", before.audience, after.audience, .mayBlock)
    add(
      "on-stale", before.onStale.rawValue, after.onStale.rawValue,
      ChangeRisk(strictness: before.onStale.strictness, after.onStale.strictness))
    let lifetimes = (Self.seconds(from: before.issued, before.expires), Self.seconds(from: after.issued, after.expires))
    add(
      "expires-after", Self.days(lifetimes.0), Self.days(lifetimes.1),
      lifetimes.1 < lifetimes.0 ? action.riskOfComingSooner : .none)
    add(
      "refresh-after", Self.days(Self.seconds(from: before.issued, before.refreshAfter)),
      Self.days(Self.seconds(from: after.issued, after.refreshAfter)), .none)
    add(
      SettingChange.unpinnedHosts, before.unpinnedHosts.rawValue, after.unpinnedHosts.rawValue,
      after.unpinnedHosts == .deny ? .mayBlock : .weakens)
    let critical = (before.critical.joined(separator: ", "), after.critical.joined(separator: ", "))
    add(
      "critical", critical.0, critical.1, Set(after.critical).subtracting(before.critical).isEmpty ? .none : .mayBlock)
    let sorted = changes.enumerated().sorted { ($1.element.risk, $0.offset) < ($0.element.risk, $1.offset) }
    changes = sorted.map(\.element)
  }

  private mutating func add(_ field: String, _ before: String, _ after: String, _ risk: ChangeRisk) {
    guard !before.utf8.elementsEqual(after.utf8) else { return }
    changes.append(SettingChange(field: field, before: before, after: after, risk: risk))
  }

  private static func seconds(from begin: Instant, _ end: Instant) -> Int64 {
    end.secondsSinceEpoch - begin.secondsSinceEpoch
  }

  /// The duration as a policy writes it: `30d`, `12h`, `90s`.
  fileprivate static func days(_ seconds: Int64) -> String {
    let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m")]
    let (size, unit) = units.first { seconds != 0 && seconds % $0.0 == 0 } ?? (1, "s")
    return "\(seconds / size)\(unit)"
  }
}

extension SettingChange {
  fileprivate static let unpinnedHosts = "unpinned-hosts"

  /// Whether it is about hosts that no entry pins.
  var isOfUnpinnedHosts: Bool { field == Self.unpinnedHosts }

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
      field: "client-max-age", before: SettingComparison.days(before), after: SettingComparison.days(after),
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

  /// What it means that the action holds from an earlier time on.
  var riskOfComingSooner: ChangeRisk {
    switch self {
    case .unpinned, .reportOnly: .weakens
    case .enforce: .none
    case .block: .mayBlock
    }
  }
}
