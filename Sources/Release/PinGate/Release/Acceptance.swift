package import Diagnostics
package import PinFormat
package import PinRelease
import PinRules
package import PinValidator

extension LoadedManifest {
  /// Checks that clients take it now: it is issued, and neither it nor the keyset has expired.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - trust: By which it was verified.
  ///   - path: The manifest as messages name it.
  ///   - isAudit: Whether somebody may only want to look back at it.
  /// - Throws: ``WorkFailure`` of kind `refused`.
  package func requireAccepted(
    at now: Instant, by trust: Trust, of path: String, isAudit: Bool = false
  ) throws(WorkFailure) {
    guard issued <= now else {
      throw WorkFailure(
        .refused, code: "issued-later", "'\(path)' is rejected: it is issued \(issued), which is after \(now)",
        help: "Check the clock. To verify it as of its release, add --at \(issued).")
    }
    if let keyset = trust.keyset, keyset.expires <= now {
      throw WorkFailure(
        .refused, code: "keyset-expired",
        "'\(path)' is rejected: version \(keyset.version) of the keyset expired \(keyset.expires); clients that "
          + "don't have it yet won't take it [keyset-expired]",
        help: "Renew the keyset ('\(KeysetDraft.next(after: trust.keysetPath))'), or give --at for another instant.")
    }
    if case .stale(let action) = freshness(at: now) {
      let release = ["--against", path] + trust.options
      throw WorkFailure(
        .refused, code: "expired",
        "'\(path)' is rejected: it expired at \(expires); clients that have it now "
          + ManifestEnd.consequence(action, tables.header.unpinnedHosts),
        help: isAudit
          ? ManifestEnd.helpLater(release, issued: issued)
          : ManifestEnd.help(release))
    }
  }
}
