import PinRules
import Testing

/// Which hosts are new to clients, by the entry that governed them in the manifest before.
@Suite struct NewHostTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// A host entry of the baseline, canonical JSON.
    var known: String
    /// The host and further fields of the entry that enforces now.
    var host: String
    var isNew: Bool
  }

  static func pinned(_ host: String, mode: String = "enforce", below: Bool = false, port: Int? = nil) -> String {
    let subdomains = below ? #","include-subdomains":1"# : ""
    let port = port.map { #","port":\#($0)"# } ?? ""
    return #"{"host":"\#(host)"\#(subdomains),"key-set":"pins","mode":"\#(mode)"\#(port)}"#
  }

  static let cases = [
    Case(testDescription: "the same", known: pinned("a.example.com"), host: "a.example.com", isNew: false),
    Case(
      testDescription: "tried before", known: pinned("a.example.com", mode: "report-only"), host: "a.example.com",
      isNew: false),
    Case(
      testDescription: "taken out before", known: #"{"host":"a.example.com","mode":"off"}"#, host: "a.example.com",
      isNew: true),
    Case(testDescription: "another host", known: pinned("b.example.com"), host: "a.example.com", isNew: true),
    Case(testDescription: "below", known: pinned("example.com", below: true), host: "x.a.example.com", isNew: false),
    Case(
      testDescription: "below one that covers itself only", known: pinned("example.com"), host: "a.example.com",
      isNew: true),
    Case(
      testDescription: "a label that only ends alike", known: pinned("example.com", below: true),
      host: "notexample.com", isNew: true),
    Case(
      testDescription: "one port of a known host", known: pinned("a.example.com"),
      host: "a.example.com\n    port: 8443", isNew: false),
    Case(
      testDescription: "all ports, of which one was known", known: pinned("a.example.com", port: 8443),
      host: "a.example.com", isNew: true),
    Case(testDescription: "an address", known: pinned("10.0.0.5"), host: "10.0.0.5", isNew: false),
    Case(testDescription: "another address", known: pinned("10.0.0.5"), host: "10.0.0.6", isNew: true),
    Case(
      testDescription: "not enforced", known: pinned("b.example.com"), host: "a.example.com\n    mode: report-only",
      isNew: false),
  ]

  @Test(arguments: cases)
  func new(_ test: Case) throws {
    let policy = PolicyText.hosts("hosts:\n  - host: \(test.host)\n    keys: pins\n")
    let check = try ExampleCheck(Example(policy, baseline: Self.baseline(test.known)))
    #expect(check.diagnostics(of: "P406").count == (test.isNew ? 1 : 0))
  }

  @Test func nothingIsNewWithoutABaseline() throws {
    let check = try ExampleCheck(PolicyText.hosts("hosts:\n  - host: a.example.com\n    keys: pins\n"))
    #expect(check.diagnostics(of: "P406") == [])
  }

  private static func baseline(_ host: String) -> String {
    """
    {"audience":"production","expires":"2026-12-20T00:00:00Z","hosts":[\(host)],"issued":"2026-11-20T00:00:00Z",\
    "key-sets":\(host.contains("key-set") ? #"{"pins":{"active":["web"],"backup":["spare"]}}"# : "{}"),\
    "keys":\(host.contains("key-set") ? keys : "{}"),"on-stale":"enforce","provenance":{"compiler":"pintle 0.1.0",\
    "sources":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},\
    "refresh-after":"2026-11-21T00:00:00Z","serial":1,"type":"application/vnd.pintle.manifest.v1+json",\
    "unpinned-hosts":"allow","version":1}
    """
  }

  private static let keys = """
    {"spare":{"pin":"GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w="},\
    "web":{"pin":"BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs="}}
    """
}
