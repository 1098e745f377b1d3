import Diagnostics
import Testing

@Suite("Reports")
struct ReportCornerTests {
  @Test(
    arguments: [
      ("http://pins.example.org/", "isn't https"),
      ("mailto:me@example.org", "isn't https"), ("https:pins.example.org", "names no host"),
      ("https:///reports", "names no host"),
      ("https://?x", "names no host"), ("https://a_b.example.org/", "names no host"),
      ("https://pins.example.org:0/", "names no host"), ("https://pins.example.org:99999/", "names no host"),
      ("https://[::1/", "names no host"), ("https://me:secret@pins.example.org/", "holds a user name or password"),
    ])
  func notHTTPS(uri: String, saying: String) throws {
    try Corner.hosts(
      "", "hosts:\n  - { host: example.com, keys: public-web, report-uris: [\"\(uri)\"] }\n",
      at: ["9:58-\(60 + uri.count)"], saying: saying
    ).expect("P801")
  }

  @Test(
    arguments: [
      "https://pins.example.org", "HTTPS://pins.example.org/r?a=b", "https://pins.example.org:8443/r",
      "https://[::1]:8443/r",
      "https://10.0.0.5/r", "https://PINS.example.org./r", "https://pins.example.org:/r",
      "https://pins.example.org/a@b",
    ])
  func anHTTPSURI(uri: String) throws {
    try Corner.hosts(
      "", "hosts:\n  - { host: example.com, keys: public-web, report-uris: [\"\(uri)\"] }\n"
    ).expect("P801")
  }

  /// A password must not be in a build's log.
  @Test func passwordsAreNotRepeated() throws {
    let check = try ExampleCheck(
      "version: 1\ndefaults: { report-uris: [https://me:secret@pins.example.org/] }\nhosts: [{ host: example.com }]\n")
    #expect(
      check.diagnostics(of: "P801").map { $0.message.contains("secret") || $0.help.contains("secret") } == [false])
  }

  @Test(
    arguments: [
      Corner.hosts(
        "a default is reported once",
        """
        hosts:
          - { host: a.example.com, keys: public-web, report-uris: [https://b.example.com/r] }
          - { host: b.example.com, keys: public-web }
        """, at: ["9:60-83"], saying: "reports go to 'b.example.com', which this policy pins"),
      Corner.hosts(
        "another port of the host is pinned",
        """
        hosts:
          - { host: a.example.com, keys: public-web, report-uris: [https://b.example.com/r] }
          - { host: b.example.com, port: 8443, keys: public-web }
        """),
      Corner.hosts(
        "this port of the host is pinned",
        """
        hosts:
          - { host: a.example.com, keys: public-web, report-uris: [https://b.example.com:8443/r] }
          - { host: b.example.com, port: 8443, keys: public-web }
        """, at: ["9:60-88"]),
      Corner.hosts(
        "taken out",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web, report-uris: [https://b.example.com/r] }
          - { host: b.example.com, mode: off, reason: the collector }
        """),
    ])
  func pinned(_ corner: Corner) throws {
    try corner.expect("P802")
  }

  @Test func defaultsAreReportedOnce() throws {
    let check = try ExampleCheck(
      """
      version: 1
      defaults: { report-uris: [https://a.example.com/r] }
      hosts:
        - { host: a.example.com, mode: report-only }
        - { host: b.example.com, mode: report-only }
      """)
    #expect(check.places(of: "P802") == ["2:27-50"])
    #expect(check.diagnostics(of: "P802").map(\.severity) == [.note])
  }

  @Test(
    arguments: [
      Corner(
        "the mode is a default",
        "version: 1\ndefaults: { mode: report-only }\nhosts: [{ host: a.example }, { host: b.example }]\n",
        at: ["3:17-26", "3:38-47"], saying: "'a.example' is in report-only"),
      Corner(
        "the reports are a default",
        "version: 1\ndefaults: { report-uris: [https://r.example] }\nhosts: [{ host: a.example, mode: report-only }]\n"),
      Corner(
        "an empty list",
        "version: 1\ndefaults: { report-uris: [https://r.example] }\nhosts: [{ host: a.example, mode: report-only, report-uris: [] }]\n",
        at: ["3:34-45"]),
    ])
  func reportOnly(_ corner: Corner) throws {
    try corner.expect("P803")
  }
}
