package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRules

/// What the server gets from the program that starts it.
package struct ServerSettings: Sendable {
  /// Answers the instant that counts as now; the server reads no clock.
  package var clock: @Sendable () -> Instant
  /// A record of live servers; goes before what a client states.
  package var evidence: String?
  /// The program's version.
  package var version: String
  /// Asks rules of the user's own for each audience; nothing that a client states can name them.
  package var ownRules: OwnRules?

  /// Runs programs about a policy; `folders` are those of the workspace.
  package typealias OwnRules =
    @Sendable (_ policies: [LoadedPolicy], _ folders: [String], Instant) -> Result<[[Rule]], WorkFailure>

  package init(
    clock: @escaping @Sendable () -> Instant, evidence: String? = nil, ownRules: OwnRules? = nil, version: String
  ) {
    self.clock = clock
    self.evidence = evidence
    self.ownRules = ownRules
    self.version = version
  }
}
