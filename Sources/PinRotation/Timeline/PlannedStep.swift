package import PinFormat

/// A step in a key's life that a policy gives a date.
package struct PlannedStep: Hashable, Sendable {
  /// The key's name.
  package var key: String
  /// The status that it is to have from then on, as the policy writes it: `active`.
  package var status: String
  package var instant: Instant

  package init(key: String, status: String, instant: Instant) {
    self.key = key
    self.status = status
    self.instant = instant
  }
}
