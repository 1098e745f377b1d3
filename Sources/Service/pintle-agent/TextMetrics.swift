#if Service
import Metrics
import Synchronization

/// Keeps counters and gauges, and writes them in the text format of Prometheus, for node_exporter's textfile collector.
///
/// Only families that are described in ``families`` are written: the agent decides nothing and reports nothing.
final class TextMetrics: MetricsFactory {
  /// A family: its name, its type, and its help text.
  private struct Family {
    let name: String
    let type: String
    let help: String
  }

  /// As docs/service.md lists them, and the agent's own.
  private static let families = [
    Family(name: "pintle_activations_total", type: "counter", help: "Manifests that took effect."),
    Family(name: "pintle_agent_folder_problem", type: "gauge", help: "1 if the folder isn't up to date."),
    Family(name: "pintle_agent_folder_serial", type: "gauge", help: "Serial in the folder; 0 for none."),
    Family(name: "pintle_fetch_age_seconds", type: "gauge", help: "Time since a URL last had the manifest in force."),
    Family(name: "pintle_fetches_total", type: "counter", help: "URLs of the manifest that were tried."),
    Family(name: "pintle_keyset_activations_total", type: "counter", help: "Keysets that were accepted."),
    Family(name: "pintle_keyset_expiry_seconds", type: "gauge", help: "Time until the keyset expires."),
    Family(name: "pintle_keyset_fetches_total", type: "counter", help: "Requests to mirrors of keysets."),
    Family(name: "pintle_keyset_rejections_total", type: "counter", help: "Keysets that were rejected."),
    Family(name: "pintle_keyset_version", type: "gauge", help: "Version of the keyset in force."),
    Family(name: "pintle_manifest_age_seconds", type: "gauge", help: "Time since the manifest was issued."),
    Family(name: "pintle_manifest_endorsed", type: "gauge", help: "0 if the keyset wouldn't accept the manifest."),
    Family(name: "pintle_manifest_expiry_seconds", type: "gauge", help: "Time until the manifest is stale."),
    Family(name: "pintle_manifest_serial", type: "gauge", help: "Serial of the manifest in force; 0 for none."),
    Family(name: "pintle_rejections_total", type: "counter", help: "Manifests that were rejected."),
  ]

  /// One value.
  final class Series: CounterHandler, RecorderHandler, FloatingPointCounterHandler {
    fileprivate let value = Mutex<Double?>(nil)

    func increment(by amount: Int64) { value.withLock { $0 = ($0 ?? 0) + Double(amount) } }
    func increment(by amount: Double) { value.withLock { $0 = ($0 ?? 0) + amount } }
    func reset() { value.withLock { $0 = 0 } }
    func record(_ number: Int64) { record(Double(number)) }
    func record(_ number: Double) { value.withLock { $0 = number } }
  }

  /// By name, and then by labels as they are written.
  private let series = Mutex<[String: [String: Series]]>([:])

  /// The text of all families of which there is a value, in order of their names and labels.
  var text: String {
    let all = series.withLock { $0 }
    var lines: [String] = []
    for family in Self.families {
      let values = (all[family.name] ?? [:]).compactMap { labels, series in
        series.value.withLock { $0 }.map { (labels, $0) }
      }
      guard !values.isEmpty else { continue }
      lines += ["# HELP \(family.name) \(family.help)", "# TYPE \(family.name) \(family.type)"]
      for (labels, value) in values.sorted(by: { $0.0 < $1.0 }) {
        lines.append("\(family.name)\(labels) \(Int64(exactly: value).map { "\($0)" } ?? "\(value)")")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func series(_ name: String, _ dimensions: [(String, String)], startingAt start: Double?) -> Series {
    // Names and values are from fixed lists of letters, digits and hyphens.
    let labels = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
    return series.withLock { all in
      let key = labels.isEmpty ? "" : "{\(labels)}"
      if let known = all[name]?[key] { return known }
      let made = Series()
      made.value.withLock { $0 = start }
      all[name, default: [:]][key] = made
      return made
    }
  }

  /// A counter, which begins at 0.
  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, startingAt: 0)
  }

  /// A counter of fractions, which begins at 0.
  func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(label, dimensions, startingAt: 0)
  }

  /// A gauge, which has no value before the first one is recorded.
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, dimensions, startingAt: nil)
  }

  /// The service has no timers.
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

  /// Nothing is destroyed: all series live as long as the process.
  func destroyCounter(_ handler: any CounterHandler) {}
  /// As with counters.
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// As with counters.
  func destroyRecorder(_ handler: any RecorderHandler) {}
  /// As with counters.
  func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
