import Diagnostics
import Testing

/// Hosts as people write them.
@Suite("Hosts")
struct HostCornerTests {
  struct Written: Sendable, CustomTestStringConvertible {
    var text: String
    var code: String
    var saying: String

    var testDescription: String { text }

    init(_ text: String, _ code: String, _ saying: String) {
      self.text = text
      self.code = code
      self.saying = saying
    }
  }

  @Test(
    arguments: [
      Written("*.example.com", "P201", "Write 'host: example.com' with 'include-subdomains: true'"),
      Written(".example.com", "P201", "Write 'host: example.com' with 'include-subdomains: true'"),
      Written("api*.example.com", "P201", "Name each host, or the name above them"),
      Written("https://api.example.com", "P201", "Write the host alone"),
      Written("api.example.com/v1", "P201", "Write the host alone"),
      Written("10.0.0.0/8", "P201", "Write the host alone"),
      Written("api.example.com:8443", "P201", "Write 'host: api.example.com' and 'port: 8443' as two fields."),
      Written("a_b.example.com", "P201", "covers names with underscores too"),
      Written("api..example.com", "P201", "it has an empty label"),
      Written("-api.example.com", "P201", "begins or ends with a hyphen"),
      Written("10.0.0.256", "P201", "looks like an IP address"),
      Written("010.0.0.5", "P201", "looks like an IP address"),
      Written("2001:db8::g", "P201", "looks like an IP address"),
      Written("xn--a.example", "P201", "'xn--a.example' is not a valid host"),
      Written("API.example.com", "P202", "Write 'api.example.com'."),
      Written("api.example.com.", "P202", "Write 'api.example.com'."),
      Written("BÜCHER.example", "P202", "Write 'bücher.example', or 'xn--bcher-kva.example' in A-labels."),
      Written("bu\u{308}cher.example", "P202", "Write 'bücher.example'"),
      Written("bücher。example", "P202", "Write 'bücher.example'"),
      Written("2001:DB8:0::1", "P202", "Write '2001:db8::1'."),
      Written("[2001:db8::1]", "P202", "Write '2001:db8::1'."),
      Written("::ffff:10.0.0.5", "P202", "Write '10.0.0.5'."),
    ])
  func objection(_ host: Written) throws {
    let corner = Corner.hosts(
      "", "hosts:\n  - host: \"\(host.text)\"\n    keys: public-web\n",
      at: ["9:11-\(host.text.unicodeScalars.count + 13)"], saying: host.saying)
    try corner.expect(host.code)
  }

  @Test(
    arguments: [
      "api.example.com", "localhost", "bücher.example", "xn--bcher-kva.example", "faß.example", "10.0.0.5",
      "2001:db8::1", "1.2.3.4.example", "例え.テスト",
    ])
  func noObjection(host: String) throws {
    for code in ["P201", "P202"] {
      try Corner.hosts("", "hosts:\n  - { host: \"\(host)\", keys: public-web }\n").expect(code)
    }
  }

  @Test(
    arguments: [
      ("com", Severity.error), ("co.uk", .error), ("xn--p1ai", .error), ("ck", .error), ("kawasaki.jp", .error),
      ("github.io", .warning), ("s3.amazonaws.com", .warning), ("example.com", nil), ("example.co.uk", nil),
      ("me.github.io", nil), ("corp", nil), ("localhost", nil), ("internal", nil), ("test", nil),
      ("home.arpa", nil), ("router.home.arpa", nil), ("lan.corp", nil), ("city.kawasaki.jp", nil),
    ])
  func publicSuffix(host: String, severity: Severity?) throws {
    let check = try ExampleCheck(
      Corner.hosts("", "hosts:\n  - { host: \(host), include-subdomains: true, keys: public-web }\n").text)
    #expect(check.diagnostics(of: "P204").map(\.severity) == (severity.map { [$0] } ?? []))
    let alone = try ExampleCheck(Corner.hosts("", "hosts:\n  - { host: \(host), keys: public-web }\n").text)
    #expect(alone.diagnostics(of: "P204") == [])
  }

  /// The owner of a top-level domain may suppress it; an excluded subtree isn't reported.
  @Test func publicSuffixesThatAreMeant() throws {
    let owned = """
      hosts:
        - host: google # pintle:allow P204 until 2027-01-15: the registry is ours
          include-subdomains: true
          keys: public-web
        - { host: github.io, include-subdomains: true, mode: off, reason: not ours }
      """
    let check = try ExampleCheck(Corner.hosts("", owned).text)
    #expect(check.diagnostics(of: "P204") == [])
    #expect(check.suppressed.map(\.code) == ["P204"])
  }

  /// Where the default includes subdomains, the finding is at the host, and shows the default.
  @Test func publicSuffixByDefault() throws {
    let check = try ExampleCheck(
      """
      version: 1
      defaults: { include-subdomains: true }
      hosts:
        - { host: co.uk, mode: report-only }
      """)
    #expect(check.places(of: "P204") == ["4:13-18"])
    #expect(check.diagnostics(of: "P204").flatMap(\.related).map(\.place.start.line) == [2])
  }

  @Test(
    arguments: [
      Corner.hosts(
        "another spelling",
        "hosts:\n  - { host: bücher.example, keys: public-web }\n  - { host: xn--bcher-kva.example, keys: public-web }\n",
        at: ["10:13-34"], saying: "'xn--bcher-kva.example' has a second entry here"),
      Corner.hosts(
        "the same port",
        "hosts:\n  - { host: a.example, port: 1, keys: public-web }\n  - { host: a.example, port: 1, keys: public-web }\n",
        at: ["10:13-22"], saying: "'a.example:1' has a second entry here"),
      Corner.hosts(
        "another port",
        "hosts:\n  - { host: a.example, port: 1, keys: public-web }\n  - { host: a.example, port: 2, keys: public-web }\n"
      ),
      Corner.hosts(
        "a third",
        """
        hosts:
          - { host: a.example, keys: public-web }
          - { host: A.example, keys: public-web }
          - { host: a.example., keys: public-web }
        """, at: ["10:13-22", "11:13-23"]),
    ])
  func duplicates(_ corner: Corner) throws {
    try corner.expect("P203")
  }

  @Test(
    arguments: [
      Corner(
        "a default leaves addresses alone",
        "version: 1\ndefaults: { include-subdomains: true }\nhosts: [{ host: 10.0.0.5 }]\n"),
      Corner("written as false", "version: 1\nhosts: [{ host: 10.0.0.5, include-subdomains: false }]\n"),
      Corner(
        "IPv6", "version: 1\nhosts: [{ host: \"2001:db8::1\", include-subdomains: true }]\n", at: ["2:52-56"],
        saying: "'2001:db8::1' is an IP address"),
    ])
  func addresses(_ corner: Corner) throws {
    try corner.expect("P208")
  }

  @Test(
    arguments: [
      Corner("off by default", "version: 1\ndefaults: { mode: off }\nhosts: [{ host: a.example }]\n"),
      Corner(
        "report-only", "version: 1\nhosts: [{ host: a.example, mode: report-only }]\n", at: ["2:17-26"],
        saying: "'a.example' is pinned, but has no keys"),
      Corner("a set that isn't there", "version: 1\nhosts: [{ host: a.example, keys: web }]\n"),
      Corner("keys of another shape", "version: 1\nhosts: [{ keys: [web], host: a.example }]\n"),
      Corner("keys that are no name", "version: 1\nhosts: [{ host: a.example, keys: 'A B' }]\n"),
      Corner(
        "the neighbour's keys can't be read",
        "version: 1\nhosts:\n  - { host: a.example, keys: [web] }\n  - { host: b.example, port: 1 }\n", at: ["4:13-22"]),
      Corner("a file that breaks off in the entry", "version: 1\nhosts:\n  - host: a.example\n    keys: [web\n"),
    ])
  func keys(_ corner: Corner) throws {
    try corner.expect("P211")
  }

  @Test func theStandardLimitHoldsWithoutSettings() throws {
    let few = Corner.hosts(
      "", "hosts:\n" + (0..<50).map { "  - { host: h\($0).example, keys: public-web }\n" }.joined())
    try few.expect("P210")
  }
}
