package import Diagnostics
package import PinFormat

/// Where a key is in its life (`docs/rotation.md`); `denied:` says whether it is denied.
package enum KeyStatus: String, Hashable, Sendable, CaseIterable, Comparable {
  /// In no manifest yet.
  case planned
  /// In manifests, and not yet served.
  case published
  /// Served.
  case active
  /// No longer served, and still in manifests.
  case retiring
  /// In no manifest any more.
  case retired

  package static func < (left: KeyStatus, right: KeyStatus) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .planned: 0
    case .published: 1
    case .active: 2
    case .retiring: 3
    case .retired: 4
    }
  }
}

/// When the steps of a key's life are planned.
package struct KeySteps: Sendable {
  /// When the first manifest with the key will be released.
  package var published: Located<Instant>?
  /// When the servers of the hosts that list the key are to change to it.
  package var active: Located<Instant>?
  /// When no server is to present it any more.
  package var retiring: Located<Instant>?
  /// When the first manifest without the key will be released.
  package var retired: Located<Instant>?

  package init() {}

  /// The steps that have a date, in the order of a key's life.
  package var dated: [(status: KeyStatus, instant: Located<Instant>)] {
    let steps: [(KeyStatus, Located<Instant>?)] = [
      (.published, published), (.active, active), (.retiring, retiring), (.retired, retired),
    ]
    return steps.compactMap { status, instant in instant.map { (status, $0) } }
  }
}

/// What a policy says of a key beside its name and where its pin comes from: of many keys nothing.
package struct KeyNotes: Sendable {
  package var position: Located<KeyPosition>?
  /// Why the key is denied.
  package var denied: Located<String>?
  /// Who holds the private key, and where.
  package var custody: Located<String>?
  package var created: Located<Instant>?
  /// Where the key is in its life, by its owners' word.
  package var status: Located<KeyStatus>?
  /// When the next steps of its life are planned.
  package var steps: KeySteps {
    get { dated ?? KeySteps() }
    set { dated = newValue }
  }
  @Rare private var dated: KeySteps?
  package var reason: Located<String>?
  /// What kind of key it is, of a key that is only a pin.
  package var algorithm: Located<KeyMaterial.StatedAlgorithm>?

  package init() {}
}
