import PinFormat

/// Visits to try again, by time.
struct Agenda {
  /// The earliest last.
  private var entries: [(due: ContinuousClock.Instant, visit: Int)] = []

  var earliest: ContinuousClock.Instant? { entries.last?.due }

  mutating func add(_ visit: Int, at due: ContinuousClock.Instant) {
    entries.insert((due, visit), at: entries.partitioningIndex { $0.due <= due })
  }

  /// Takes the earliest visit off, where its time has come.
  mutating func pop(at now: ContinuousClock.Instant) -> Int? {
    guard let last = entries.last, last.due <= now else { return nil }
    entries.removeLast()
    return last.visit
  }
}
