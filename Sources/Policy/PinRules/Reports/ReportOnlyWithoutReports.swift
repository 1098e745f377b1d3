import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A trial needs somebody who gets its results.
  static let reportOnlyWithoutReports = Rule(
    code: "P803",
    name: "report-only-without-reports",
    severity: .warning,
    title: "An entry in `report-only` has no report URI.",
    rationale: """
      `report-only` blocks nothing; it only reports. Without an address for the reports the trial has no result, and
      nothing shows whether `enforce` is safe.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          mode: report-only
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          mode: report-only
          keys: public-web
          report-uris: [https://pins.example.org/reports]
      """),
    citation: "docs/policy.md#hosts; RFC 7469 section 2.1.4",
    check: .policy { input in
      let hosts = input.policy.hosts
      let silent = hosts.indices.filter { hosts[$0].mode.value == .reportOnly && hosts[$0].reportURIs.isEmpty }
      let known = silent.isEmpty ? nil : input.policy.hosts.lazy.compactMap(\.reportURIs.first?.value).first
      return silent.map { index in
        let entry = hosts[index]
        // If the mode is a default, many entries share its place, so point to each host.
        let own = input.written(entry)?.terms.mode
        return Finding(
          at: own?.place ?? entry.written.place, "'\(entry.label)' is in report-only, but has no report URI",
          related: own == nil ? [Diagnostic.Related("the mode comes from here", at: entry.mode.place)] : [],
          help: "Add 'report-uris:' to the entry or to its file's 'defaults:'.",
          fixes: known.map { uri in
            input.adding(
              "report-uris", "[\(ScalarText.written(uri, inFlow: true))]", besideFieldAt: entry.written.place,
              .suggested)
          } ?? [])
      }
    })
}
