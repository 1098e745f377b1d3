import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Reports travel encrypted.
  static let reportURINotHTTPS = Rule(
    code: "P801",
    name: "report-uri-not-https",
    severity: .error,
    title: "A report URI isn't an https URI with a host.",
    rationale: """
      A report says which host a client tried to reach and what it was shown instead, and it is sent from a network on
      which an attacker may be interfering. In clear text the attacker can read, change or drop it. A name or password in the URI would be given to every client.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
          report-uris: [http://pins.example.org/reports]
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
          report-uris: [https://pins.example.org/reports]
      """),
    citation: "docs/policy.md#hosts; RFC 9110 section 4.2.2",
    isSuppressible: false,
    check: .policy { input in
      var known = KnownReportURIs()
      var findings: [Finding] = []
      func look(at uris: [Located<String>]?) {
        for uri in uris ?? [] where !isFine(known[uri.value]) {
          if let found = objection(to: uri, known[uri.value], input) { findings.append(found) }
        }
      }
      for file in input.policy.files {
        look(at: file.defaults.reportURIs)
        for index in file.hosts.indices { look(at: file.hosts[index].terms.reportURIs) }
      }
      return findings
    })

  private static func isFine(_ parts: ReportURI?) -> Bool {
    parts.map { $0.scheme == "https" && !$0.hasUserInformation && $0.host != nil } ?? false
  }

  private static func objection(to uri: Located<String>, _ parts: ReportURI?, _ input: CheckInput) -> Finding? {
    if parts?.hasUserInformation == true {
      // Neither the message nor a fix repeats the URI, which may contain a password.
      return Finding(
        at: uri.place, "this report URI holds a user name or password",
        help:
          "Delete what is before the '@': every client would get it. Let the collector accept reports without credentials."
      )
    }
    let text = Wording.quoted(uri.value)
    guard let parts, parts.scheme == "https" else {
      return Finding(
        at: uri.place, "report URI \(text) isn't https", help: "Write a URI that begins with 'https://'.",
        fixes: uri.value.lowercased().hasPrefix("http://")
          ? input.writing("https" + uri.value.dropFirst("http".count), at: uri.place, .suggested) : [])
    }
    guard parts.host == nil else { return nil }
    return Finding(
      at: uri.place, "report URI \(text) names no host that a client can connect to",
      help: "Write a host name or an IP address behind 'https://', in ASCII, and a port from 1 to 65535 if any.")
  }
}

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
