/// Why a policy without errors still makes no manifest.
package enum LoweringError: Error, Hashable, Sendable {
  /// No file states the manifest-wide settings.
  case missingSettings
  /// The settings don't name an audience.
  case missingAudience
  /// There is no host entry: such a manifest would take every pin from its clients.
  case noHosts
  /// The serial is below 1, or above what JSON numbers carry everywhere.
  case invalidSerial(Int64)
  /// The commit isn't 40 or 64 lower-case hexadecimal digits.
  case invalidCommit(String)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .missingSettings:
      "no policy file states the manifest-wide settings; add 'manifest:' with an 'audience:' to one of them"
    case .missingAudience:
      "'manifest:' names no audience; add 'audience: production', say, so that no other environment takes the manifest"
    case .noHosts:
      "the policy has no host entry, and a manifest without one would unpin every host of every client; add "
        + "a host under 'hosts:' in a policy file"
    case .invalidSerial(let serial):
      "the serial is \(serial); serials are from 1 to \(Release.maximumSerial)"
    case .invalidCommit(let commit):
      "'\(commit)' is not a commit id; give 40 or 64 lower-case hexadecimal digits, as 'git rev-parse HEAD' prints them"
    }
  }
}
