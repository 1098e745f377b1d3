#if Collector
import HTTPTypes
import Hummingbird
import NIOCore
import PinFormat

/// Answers Prometheus, in its text format 0.0.4: what alert rules need (`examples/collector/alerts.yml`).
struct Metrics: Sendable {
  let store: CollectorStore
  let refusals: Refusals
  let now: @Sendable () -> Instant

  /// How many releases are named: each makes a time series, and anybody can send any number of them.
  static let mostReleases = 100

  func add(to router: RouterGroup<CollectorContext>) {
    router.get("metrics") { _, _ in
      let text: String
      do throws(StorageError) { text = try await page() } catch { throw Problem.storage(error) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }

  private func page() async throws(StorageError) -> String {
    let status = try await store.status(refused: refusals.all)
    var text = MetricsText()
    text.metric(
      "pintle_collector_reports_total", .counter, "Reports on mismatches that were received.",
      [([], status.received.reports)])
    text.metric(
      "pintle_collector_aggregates_total", .counter, "Daily counts that were received.",
      [([], status.received.aggregates)])
    text.metric(
      "pintle_collector_refused_total", .counter, "Requests that were refused since the start, by reason.",
      status.refused.sorted { $0.key < $1.key }.map { ([("reason", $0.key)], $0.value) })
    // Counts of a day arrive within hours of its end, at a random time.
    let day = now().adding(seconds: -6 * 3_600).dayNumber - 1
    let page = PageRequest(limit: PageRequest.mostAdoption, most: PageRequest.mostAdoption)
    let adoption = try await store.adoption(
      audience: "", since: day, at: Instant(secondsSinceEpoch: day * 86_400), page)
    var senders: [ReleaseName: Int64] = [:]
    for row in adoption.rows {
      senders[ReleaseName(audience: row.audience ?? "", serial: row.serial), default: 0] += row.senders
    }
    let sorted = senders.sorted {
      ($1.value, $0.key.audience, $1.key.serial) < ($0.value, $1.key.audience, $0.key.serial)
    }
    let shown = sorted.prefix(Self.mostReleases)
    text.metric(
      "pintle_adoption_day_timestamp_seconds", .gauge, "The beginning of the day of which senders are counted.",
      [([], day * 86_400)])
    text.metric(
      "pintle_adoption_senders", .gauge, "Senders whose newest manifest on that day is this release.",
      shown.map { (labels($0.key), $0.value) })
    text.metric(
      "pintle_adoption_unlisted_senders", .gauge, "Senders of releases beyond the first \(Self.mostReleases).",
      [([], sorted.dropFirst(Self.mostReleases).reduce(0) { $0 + $1.value })])
    let first = Dictionary(grouping: try await store.firstDays(until: day, limit: PageRequest.mostAdoption)) {
      $0.release.audience
    }
    text.metric(
      "pintle_adoption_superseded_seconds", .gauge,
      "How long before the end of that day senders were first counted with a newer release of the same audience.",
      shown.compactMap { name, _ in
        // In order of days.
        let newer = first[name.audience]?.first { $0.release.serial > name.serial }
        return newer.map { (labels(name), (day + 1 - $0.day) * 86_400) }
      })
    return text.text
  }

  private func labels(_ name: ReleaseName) -> [(String, String)] {
    [("audience", name.audience), ("serial", String(name.serial))]
  }
}

/// The text of metrics.
private struct MetricsText {
  enum Kind: String {
    case counter, gauge
  }

  private(set) var text = ""

  mutating func metric(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Int64)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(sample.value)\n"
    }
  }

  /// A label's value: a backslash, a quotation mark and a line feed are escaped.
  private static func escaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
#endif
