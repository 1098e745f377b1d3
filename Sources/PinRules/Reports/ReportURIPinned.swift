import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// What goes wrong with a pin must not keep its report from arriving.
  static let reportURIPinned = Rule(
    code: "P802",
    name: "report-uri-pinned",
    severity: .warning,
    title: "Reports go to a host that the same policy pins.",
    rationale: """
      When pins are wrong, everything that they cover is blocked. If the collector is among it, the reports that would
      tell of the mistake are blocked too, and the first one to notice is a customer. A collector that the policy leaves
      alone, best under another domain, hears of it.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
          report-uris: [https://pins.example.com/reports]
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
          report-uris: [https://pins.example.org/reports]
      """),
    citation: "RFC 7469 section 2.1.4",
    check: .policy { input in
      let hosts = input.policy.hosts
      var seen: Set<Place> = []
      return hosts.filter { $0.mode.value != .off }.flatMap(\.reportURIs).compactMap { uri in
        // A default's URI belongs to many entries, but stands in one place.
        guard seen.insert(uri.place).inserted, let parts = ReportURI(uri.value), let host = parts.host,
          let index = input.hostIndex.governing(host, port: parts.port), hosts[index].mode.value != .off
        else { return nil }
        return Finding(
          at: uri.place, "reports go to '\(host)', which this policy pins",
          related: [Diagnostic.Related("pinned by this entry", at: hosts[index].written.place)],
          help: "Report to a host that no entry covers, or take the collector out with an entry of 'mode: off'.",
          severity: hosts[index].mode.value == .reportOnly ? .note : nil)
      }
    })
}
