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
