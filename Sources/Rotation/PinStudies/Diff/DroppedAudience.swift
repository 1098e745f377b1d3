import Diagnostics
import PinFormat
import PinPolicy
package import PinRelease
import PinRules
import PinValidator

/// What happens to the clients of an audience that the policy no longer has.
package enum DroppedAudience {
  /// Takes the newest release that the clients may have.
  package static func text(_ newest: ReleasedManifest) -> String {
    let header = newest.loaded.tables.header
    // A commit says nothing of the expiry of what was released.
    let end =
      newest.serial == nil
      ? "which they use until it is stale; then they"
      : "which expires at \(header.expires); then they"
    return """
      warning: the policy no longer has this audience
      Its clients get no further release. They have \(newest.name), \(end) \(ManifestEnd.consequence(header.onStale, header.unpinnedHosts)).
      Keep the audience in the policy until no client asks for its manifests.

      """
  }
}
