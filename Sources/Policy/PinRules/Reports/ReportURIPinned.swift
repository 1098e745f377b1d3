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
      When pins are wrong, everything that they cover is blocked. If that includes the collector, the reports of the mistake
      are blocked too, and a customer notices it first. So use a collector that the policy doesn't pin, best under another
      domain.
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
      var known = KnownReportURIs()
      var pinned: [String: Int?] = [:]
      /// The pinned entry that governs the host that a URI names.
      func pinning(_ text: String) -> Int? {
        if let found = pinned[text] { return found }
        let index = known[text].flatMap { parts in
          parts.host.flatMap { input.hostIndex.governing($0, port: parts.port) }
        }
        let found = index.flatMap { hosts[$0].mode.value == .off ? nil : $0 }
        pinned[text] = .some(found)
        return found
      }
      var findings: [Finding] = []
      for entry in input.hostFacts.entries(without: .isOff) {
        for uri in hosts[entry].reportURIs {
          // A default URI applies to many entries, but is reported once.
          guard let index = pinning(uri.value), let host = known[uri.value]?.host, seen.insert(uri.place).inserted
          else { continue }
          findings.append(
            Finding(
              at: uri.place, "reports go to '\(host)', which this policy pins",
              related: [Diagnostic.Related("pinned by this entry", at: hosts[index].written.place)],
              help: "Report to a host that no entry covers, or exclude the collector with an entry of 'mode: off'.",
              severity: hosts[index].mode.value == .reportOnly ? .note : nil))
        }
      }
      return findings
    })
}
