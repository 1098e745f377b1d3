import PinCompiler
import PinFormat
import PinRules
import PinValidator

/// Clients that nothing is said of, since the release that they run wasn't given.
enum BlindSpot {
  /// What a baseline leaves out.
  ///
  /// A release whose predecessor isn't given matters for as long as clients may run that one.
  ///
  /// - Parameters:
  ///   - released: In order of release.
  ///   - window: The adoption window in seconds.
  ///   - now: The instant that counts as now.
  /// - Returns: A clause for each gap, none where the baseline holds all that clients may run.
  static func find(in released: [ReleasedManifest], window: Int64, at now: Instant) -> [String] {
    let known = Set(released.compactMap(\.digest))
    let serials = Set(released.compactMap(\.serial))
    return released.compactMap { release in
      let end = release.issued.adding(seconds: window)
      guard now < end else { return nil }
      guard let serial = release.serial else {
        return "\(release.name) stands for one release: whoever has an older one until \(end) isn't looked at"
      }
      let previous = release.loaded.tables.header.previous
      // One that doesn't name its predecessor had one all the same; only that the given one isn't it can't be told.
      guard serial > 1, previous.map({ !known.contains($0) }) ?? !serials.contains(serial - 1) else { return nil }
      return "the release before \(release.name) isn't given: whoever has it until \(end) isn't looked at"
    }
  }
}
