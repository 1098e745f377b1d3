import PinFormat
import PinRotation

/// The span of time that every drawing of a page shows, so that they can be compared.
struct TimeAxis {
  let start: Instant
  let end: Instant
  let now: Instant

  /// From the release of the oldest manifest in use, but no further back than half of what lies ahead.
  init(_ timeline: SimulationTimeline) {
    let scenario = timeline.scenario
    let ahead = max(86_400, scenario.end.seconds(since: scenario.now))
    let oldest =
      scenario.releases.indices.filter { timeline.isRunning($0) }
      .map { scenario.releases[$0].issued }.min() ?? scenario.now
    let furthest = scenario.now.adding(seconds: -ahead / 2)
    now = scenario.now
    start = min(max(oldest, furthest), scenario.now).adding(seconds: -ahead / 24)
    end = scenario.end
  }

  /// Hundredths of a percent of the axis' length, inside of it.
  func place(_ time: Instant) -> Int64 {
    let whole = max(1, end.seconds(since: start))
    let (product, _) = min(max(0, time.seconds(since: start)), whole).multipliedReportingOverflow(by: 10_000)
    return product / whole
  }

  func shows(_ time: Instant) -> Bool { start <= time && time < end }

  /// Four instants at even distances, each at the beginning of a day.
  var ticks: [Instant] {
    let whole = end.seconds(since: start)
    return (0..<4).map { number in
      let time = start.secondsSinceEpoch + whole * Int64(2 * number + 1) / 8
      return Instant(secondsSinceEpoch: (time + 43_200) / 86_400 * 86_400)
    }
  }
}
