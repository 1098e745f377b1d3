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
