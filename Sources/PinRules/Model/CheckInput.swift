package import PinFormat
package import PinPolicy

/// All that a rule may know.
package struct CheckInput: Sendable {
  package var policy: Policy
  /// The manifest that clients now have, where the caller named one.
  package var baseline: Manifest?
  /// The instant that counts as now.
  package var instant: Instant

  package init(policy: Policy, baseline: Manifest? = nil, at instant: Instant) {
    self.policy = policy
    self.baseline = baseline
    self.instant = instant
  }
}
