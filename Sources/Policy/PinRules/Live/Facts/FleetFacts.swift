import Diagnostics
import PinPolicy

/// Of a record that is judged in pieces: what rules about the fleet as a whole need of all targets.
struct FleetFacts: Sendable {
  var backups = BackupSights()
  var gaps = CoverageGaps()
  /// The first of the places where targets are written.
  private(set) var place: Place?

  /// Adds the next piece.
  mutating func add(_ facts: LiveFacts) {
    backups.add(BackupSights(facts))
    gaps.add(CoverageGaps(facts))
    place = ([place] + facts.targets.map(\.place)).compactMap(\.self).min()
  }
}
