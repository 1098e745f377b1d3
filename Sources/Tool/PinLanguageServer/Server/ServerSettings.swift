package import PinFormat

/// What the server gets from the program that starts it.
package struct ServerSettings: Sendable {
  /// Answers the instant that counts as now; the server reads no clock.
  package var clock: @Sendable () -> Instant
  /// A record of live servers; goes before what a client states.
  package var evidence: String?
  /// The program's version.
  package var version: String

  package init(clock: @escaping @Sendable () -> Instant, evidence: String? = nil, version: String) {
    self.clock = clock
    self.evidence = evidence
    self.version = version
  }
}
