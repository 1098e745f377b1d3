package import PinFormat

/// What a manifest says of its release: given by the caller, never read from the clock or the machine.
package struct Release: Hashable, Sendable {
  /// 2^53 - 1, the largest integer that every JSON reader keeps exactly (RFC 7493 section 2.2).
  package static let maximumSerial: Int64 = 9_007_199_254_740_991

  /// Grows with each release; from 1 to ``maximumSerial``.
  package var serial: Int64
  package var issued: Instant
  /// SHA-256 over the signed bytes of the release before; nil for the first.
  package var previous: SHA256Digest?
  /// The commit of the sources.
  package var commit: String?
  /// The compiler and its version.
  package var compiler: String
  /// Why clients are to activate it even where it takes many pins away; nil for a plain release.
  package var drasticChange: String?

  package init(
    serial: Int64, issued: Instant, previous: SHA256Digest?, commit: String?, compiler: String,
    drasticChange: String? = nil
  ) {
    self.serial = serial
    self.issued = issued
    self.previous = previous
    self.commit = commit
    self.compiler = compiler
    self.drasticChange = drasticChange
  }
}
