package import PinFormat

/// Where a key is in its life by releases and evidence, whatever the policy says of it.
package struct KeyLife: Hashable, Sendable {
  package var pin: Pin
  package var status: KeyLifeState.Status
  /// The first release since which each one has the key, by its index in the scenario; nil where the newest hasn't.
  package var publishedSince: Int?
  /// From when on every client has the key, as far as releases go; nil where the newest hasn't.
  package var adopted: Instant?
  /// The release that dropped the key, by its index; nil unless the key is retired.
  package var retiredBy: Int?
  /// When the last client gives up the last release with the key; nil where the newest has it, or none had.
  package var keptUntil: Instant?
  /// The first release since which each one denies the key, by its index; nil where the newest doesn't.
  package var deniedSince: Int?
  /// The servers that present it now by evidence, by their index in the scenario.
  package var presentedBy: [Int]
  /// True where every server that is checked against the key was looked at.
  package var isObserved: Bool

  package init(
    pin: Pin, status: KeyLifeState.Status, publishedSince: Int? = nil, adopted: Instant? = nil, retiredBy: Int? = nil,
    keptUntil: Instant? = nil, deniedSince: Int? = nil, presentedBy: [Int] = [], isObserved: Bool = false
  ) {
    self.pin = pin
    self.status = status
    self.publishedSince = publishedSince
    self.adopted = adopted
    self.retiredBy = retiredBy
    self.keptUntil = keptUntil
    self.deniedSince = deniedSince
    self.presentedBy = presentedBy
    self.isObserved = isObserved
  }
}

/// Where a key is in its life, as a state that events move on.
///
/// | from | listed as a backup | listed as active | in no set any more | presented | looked for in vain |
/// |---|---|---|---|---|---|
/// | `planned` | `published` | `active` | – | – | – |
/// | `published` | – | `active` | `retired` | `active` | – |
/// | `active` | `retiring` | – | `retired` | – | `retiring`, or `published` where it was never served |
/// | `retiring` | – | `active` | `retired` | `active` | – |
/// | `retired` | `published` | `active` | – | – | – |
/// | `denied` | as from `planned` | as from `planned` | as from `planned` | – | – |
///
/// Listing and dropping are what releases do, in their order; a denial makes each state `denied`, and a release that
/// takes it back begins again. What servers present is known of the end only. Presenting a key that clients don't have
/// doesn't publish it, so `planned` and `retired` stay what they are.
package struct KeyLifeState: Hashable, Sendable {
  package enum Status: String, Hashable, Sendable, CaseIterable {
    /// In no release yet.
    case planned
    /// In the newest release, and not served yet.
    case published
    /// In the newest release, and served.
    case active
    /// In the newest release, and not served any more.
    case retiring
    /// Not in the newest release, but in one before it.
    case retired
    /// Denied by the newest release.
    case denied
  }

  package enum Event: Hashable, Sendable, CaseIterable {
    /// A release lists the key as a backup.
    case listedAsBackup
    /// A release lists the key as active.
    case listedAsActive
    /// A release has the key in no set.
    case unlisted
    /// A release denies the key.
    case denied
    /// Somebody who knows says that it has been served.
    case served
    /// A server presents it.
    case presented
    /// Every server that may present it was asked, and none does.
    case notPresented
  }

  package private(set) var status = Status.planned
  /// Whether the key was ever served: what tells `retiring` from `published`.
  package private(set) var hasBeenServed = false

  package init() {}

  package mutating func apply(_ event: Event) {
    switch event {
    case .denied: status = .denied
    case .served: hasBeenServed = true
    case .unlisted:
      switch status {
      case .planned, .denied: status = .planned
      case .published, .active, .retiring, .retired: status = .retired
      }
    case .listedAsBackup:
      switch status {
      case .planned, .denied, .retired: status = .published
      case .active:
        // A key that is listed as active and later as a backup has been served.
        status = .retiring
        hasBeenServed = true
      case .published, .retiring: break
      }
    case .listedAsActive: status = .active
    case .presented:
      hasBeenServed = true
      if status == .published || status == .retiring { status = .active }
    case .notPresented:
      if status == .active { status = hasBeenServed ? .retiring : .published }
    }
  }
}
