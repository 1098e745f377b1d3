import Diagnostics
import PinProbe
import Testing

/// The host and port of a decision, as people write them.
struct TargetTests {
  private static let hosts: [(String, String, UInt16, String)] = [
    ("api.example.com", "api.example.com", 443, "api.example.com:443"),
    ("A.Example.com:8443", "a.example.com", 8443, ""),
    ("192.0.2.1", "192.0.2.1", 443, ""), ("2001:db8::1", "2001:db8::1", 443, ""),
    ("[2001:db8::1]:8443", "2001:db8::1", 8443, ""),
    ("bücher.example", "xn--bcher-kva.example", 443, ""),
  ]

  @Test(arguments: hosts)
  func accepted(_ text: String, _ host: String, _ port: UInt16, _ label: String) throws {
    let target = try Target(text)
    #expect(target.host == host && target.port == port && target.aLabels == nil)
    #expect(label.isEmpty || target.label == label)
  }

  @Test func uLabelsMayBeKept() throws {
    let target = try Target("bücher.example", keepsULabels: true)
    #expect(target.host == "bücher.example" && target.aLabels == "xn--bcher-kva.example")
  }

  @Test(arguments: [
    ("https://api.example.com", "'https://api.example.com' is a URL, not a host"),
    ("*.example.com", "'*.example.com' is a wildcard, and a client connects to one host"),
    ("api.example.com:x", "'api.example.com:x' is not a host and port"), ("a:0", "'a:0' is not a host and port"),
    ("a:65536", "'a:65536' is not a host and port"),
  ])
  func rejected(_ text: String, _ message: String) {
    let failure = #expect(throws: WorkFailure.self) { try Target(text) }
    #expect(failure?.kind == .usage && failure?.message == message)
  }
}
