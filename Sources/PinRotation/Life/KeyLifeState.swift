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
        // Anybody who lists a key as active and then as a backup says that it was served.
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
