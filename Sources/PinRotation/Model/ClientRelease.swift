package import PinFormat
package import PinValidator

/// A manifest that clients have, or will have.
package struct ClientRelease: Sendable {
  /// How sure it is that clients have it.
  package enum Origin: Hashable, Sendable {
    /// It is out.
    case released
    /// What the policy says now, as it would be released at the instant that counts as now.
    case candidate
    /// A later release that the policy's dates ask for.
    case planned
  }

  /// As messages name it: `serial 7`, `git:main`, `this policy`.
  package var name: String
  /// Nil for what was compiled from sources rather than released.
  package var serial: Int64?
  /// From when on clients may have it.
  package var issued: Instant
  package var origin: Origin
  /// What those clients decide by.
  ///
  /// Where releases go on (see `docs/rotation.md`), its own expiry is put beyond the end of the scenario.
  package var manifest: LoadedManifest

  package init(name: String, serial: Int64?, issued: Instant, origin: Origin, manifest: LoadedManifest) {
    self.name = name
    self.serial = serial
    self.issued = issued
    self.origin = origin
    self.manifest = manifest
  }
}
