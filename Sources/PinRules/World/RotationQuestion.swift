package import PinFormat
package import PinPolicy
package import PinProbe

/// What is to be simulated: the policy, the releases before it, what servers showed, and what is planned.
package struct RotationQuestion: Sendable {
  /// A change of what a host presents, as somebody plans it.
  package struct ServerChange: Hashable, Sendable {
    package var host: HostName
    /// Nil for every port at which the host is asked.
    package var port: UInt16?
    /// The names of the keys in the chain from then on, from the leaf upwards.
    ///
    /// Of one key alone that is at the leaf, the rest of the chain stays as it was. `unknown` is a new key that no
    /// manifest has, as a renewal makes it, unless the policy has a key of that name.
    package var keys: [String]
    package var instant: Instant

    package init(host: HostName, port: UInt16?, keys: [String], instant: Instant) {
      self.host = host
      self.port = port
      self.keys = keys
      self.instant = instant
    }
  }

  package var policy: CheckedPolicy
  /// In order of release.
  package var released: [ReleasedManifest]
  /// What live servers showed; nil where nobody looked, and then the active keys of key sets are assumed.
  package var evidence: Evidence?
  /// The trust stores to judge under; empty for those that the evidence records.
  package var stores: [NamedStore] = []
  /// The instant that counts as now, at which the policy would be released.
  package var now: Instant
  /// Up to when is looked ahead; nil for one adoption window and a day behind the last planned step.
  package var end: Instant?
  /// Planned changes besides those of the policy's own `steps:`.
  package var serverChanges: [ServerChange] = []
  /// Names of keys that the next release denies.
  package var denied: [String] = []
  /// Names of keys that are lost now: servers change to what suits most clients.
  package var lost: [String] = []
  /// True where nothing is released after the policy, so that it runs out.
  package var isFrozen = false

  package init(policy: CheckedPolicy, released: [ReleasedManifest], now: Instant) {
    self.policy = policy
    self.released = released
    self.now = now
  }
}
