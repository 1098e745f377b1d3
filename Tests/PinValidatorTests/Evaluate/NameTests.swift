import PinFormat
import PinValidator
import TestSupport
import Testing

/// Which names a leaf answers to, and for which use.
@Suite struct NameTests {
  /// A host, the leaf's names, and whether they match.
  struct Names: CustomTestStringConvertible, Sendable {
    var host: String
    var names: [String]
    var matches: Bool

    var testDescription: String { "\(host) and \(names)" }

    init(_ host: String, _ names: [String], _ matches: Bool) {
      self.host = host
      self.names = names
      self.matches = matches
    }
  }

  @Test(arguments: [
    Names("example.com", ["DNS:example.com"], true),
    Names("EXAMPLE.com.", ["DNS:example.com"], true),
    Names("example.com", ["DNS:Example.COM"], true),
    Names("example.org", ["DNS:example.com"], false),
    Names("notexample.com", ["DNS:example.com"], false),
    Names("www.example.com", ["DNS:example.com"], false),
    Names("www.example.com", ["DNS:*.example.com"], true),
    Names("example.com", ["DNS:*.example.com"], false),
    Names("a.b.example.com", ["DNS:*.example.com"], false),
    Names("foo.example.com", ["DNS:f*.example.com"], false),
    Names("foo.example.com", ["DNS:*o.example.com"], false),
    Names("a.foo.example.com", ["DNS:a.*.example.com"], false),
    Names("example.com", ["DNS:*.com"], false),
    Names("xn--bcher-kva.example.com", ["DNS:*.example.com"], true),
    Names("a_b.example.com", ["DNS:a_b.example.com"], true),
    // libcrypto's wildcard matches letters, digits and hyphens.
    Names("a_b.example.com", ["DNS:*.example.com"], false),
    Names("-a.example.com", ["DNS:*.example.com"], true),
    Names("a-.example.com", ["DNS:a-.example.com"], true),
    // The certificate's common name is also example.com; it never counts (RFC 6125 section 6.4.4).
    Names("example.com", [], false),
    Names("example.com", ["DNS:other.example", "IP:10.0.0.5"], false),
    Names("10.0.0.5", ["IP:10.0.0.5"], true),
    Names("::ffff:10.0.0.5", ["IP:10.0.0.5"], true),
    Names("10.0.0.6", ["IP:10.0.0.5"], false),
    Names("10.0.0.5", ["DNS:10.0.0.5"], false),
    Names("[2001:DB8::1]", ["IP:2001:db8::1"], true),
    Names("2001:db8::2", ["IP:2001:db8::1"], false),
    Names("", ["DNS:example.com"], false),
    Names("bücher.example", ["DNS:example.com"], false),
  ])
  func name(_ row: Names) throws {
    let make = try Maker()
    let leaf = try make.leaf("names \(row.names)") {
      $0.subject = "/CN=example.com"
      $0.alternativeNames = row.names
    }
    var question = Question([leaf, try make.intermediate], anchors: [try make.root])
    question.peer = .server(row.host)
    switch try question.ask() {
    case .trusted: #expect(row.matches)
    case .refused(let failures):
      #expect(!row.matches)
      #expect(failures.allSatisfy { $0.hasPrefix("name-mismatch") })
    }
  }

  /// Extended Key Usages, and whether a server and a client may use them.
  struct Usage: CustomTestStringConvertible, Sendable {
    var usage: String?
    var server: Bool
    var client: Bool

    var testDescription: String { usage ?? "none" }
  }

  @Test(arguments: [
    Usage(usage: nil, server: true, client: true),
    Usage(usage: "serverAuth", server: true, client: false),
    Usage(usage: "clientAuth", server: false, client: true),
    Usage(usage: "critical,serverAuth,clientAuth", server: true, client: true),
    Usage(usage: "codeSigning", server: false, client: false),
    Usage(usage: "anyExtendedKeyUsage", server: false, client: false),
    // Server-gated cryptography, the usage of servers in the nineties.
    Usage(usage: "nsSGC", server: false, client: false),
    Usage(usage: "msSGC,clientAuth", server: false, client: true),
  ])
  func usage(_ row: Usage) throws {
    let make = try Maker()
    let leaf = try make.leaf("usage \(row.testDescription)") { $0.extendedKeyUsage = row.usage }
    var question = Question([leaf, try make.intermediate], anchors: [try make.root])
    let expected = Outcome.chain([leaf, try make.intermediate, try make.root])
    #expect(try question.ask() == (row.server ? expected : .refused(["wrong-usage@0"])))
    question.peer = .client
    #expect(try question.ask() == (row.client ? expected : .refused(["wrong-usage@0"])))
  }

  @Test func usageOfAnAuthority() throws {
    let make = try Maker()
    let authority = try make.authority("Mail Only") { $0.extendedKeyUsage = "emailProtection" }
    let leaf = try make.leaf("below mail", by: authority)
    #expect(try Question([leaf, authority], anchors: [try make.root]).ask() == .refused(["wrong-usage@1"]))
  }
}
