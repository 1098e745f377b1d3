package import PinFormat

/// What a release says of itself and of the one before it.
package struct ReleaseRecord: Hashable, Sendable {
  /// As messages name it: `serial 7`, `git:main`.
  package var name: String
  package var audience: String
  /// Nil for what was compiled from a commit rather than released.
  package var serial: Int64?
  package var issued: Instant
  /// SHA-256 over the signed bytes; nil for what was compiled from a commit.
  package var digest: SHA256Digest?
  /// The digest that it names as its predecessor's; nil for the first release.
  package var previous: SHA256Digest?

  package init(
    name: String, audience: String, serial: Int64?, issued: Instant, digest: SHA256Digest?, previous: SHA256Digest?
  ) {
    self.name = name
    self.audience = audience
    self.serial = serial
    self.issued = issued
    self.digest = digest
    self.previous = previous
  }
}
