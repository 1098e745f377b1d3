import Diagnostics
package import PinFormat
package import PinPolicy
package import PinValidator

extension CheckedPolicy {
  /// The manifest that clients would have if the policy were released at an instant, for trying it out.
  ///
  /// What only a release needs to know, such as the audience, is assumed where the policy doesn't say it.
  ///
  /// - Parameter instant: When it is released; its freshness counts from there.
  /// - Returns: The manifest, loaded.
  /// - Throws: ``RehearsalError``, for example without host entries.
  package func rehearsed(at instant: Instant) throws(RehearsalError) -> LoadedManifest {
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let manifest: Manifest
    do { manifest = try lowered(standingIn: release) } catch { throw .lowering(error) }
    return try Rehearsal().load(manifest)
  }

  /// Makes the manifest of a release that may never be.
  ///
  /// - Parameters:
  ///   - release: Serial, time and origin.
  ///   - audience: Is used if the policy names none.
  /// - Returns: The manifest, its lists in canonical order.
  /// - Throws: ``LoweringError``, for example without host entries.
  func lowered(standingIn release: Release, audience: String = "rehearsal") throws(LoweringError) -> Manifest {
    guard let entry = policy.hosts.first else { throw .noHosts }
    let settings = policy.settings ?? Policy.Settings(place: entry.written.place, audience: nil)
    return try lowered(as: release, settings, audience: settings.audience?.value ?? audience)
  }
}
