import PinFormat
import TestSupport
import Testing

@Suite("Hosts in canonical form")
struct HostNameTests {
  @Test(
    "What is written differently and means the same has one form",
    arguments: [
      ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"), ("example.com.", "example.com"),
      ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"), ("localhost", "localhost"), ("1and1.com", "1and1.com"),
      ("a.b-c.d0", "a.b-c.d0"), ("0x.example", "0x.example"), ("0xg", "0xg"), ("x0", "x0"),
      ("10.0.0.5", "10.0.0.5"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
      ("10.0.0.5.", "10.0.0.5"),
      ("2001:DB8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
      ("2001:db8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"),
      // RFC 5952: the longest run, the first of two equal runs, and never a single group.
      ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
      ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:0:2:3:4:5:6", "1::2:3:4:5:6"),
      ("0:0:1:2:3:4:5:6", "::1:2:3:4:5:6"),
      ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
      ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
      // An IPv4-mapped address reaches the same server as the IPv4 address.
      ("::ffff:10.0.0.5", "10.0.0.5"), ("::FFFF:a00:5", "10.0.0.5"), ("::ffff:100.99.10.9", "100.99.10.9"),
      ("[::ffff:10.0.0.5]", "10.0.0.5"),
      ("::10.0.0.5", "::a00:5"), ("64:ff9b::10.0.0.5", "64:ff9b::a00:5"),
      ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ])
  func canonical(written: String, expected: String) throws {
    let host = try HostName(canonicalising: written)
    #expect(host.text == expected)
    #expect(try HostName(canonicalising: expected) == host)
    #expect(
      host.kind == (expected.contains(":") ? .ipv6 : expected.allSatisfy { $0.isNumber || $0 == "." } ? .ipv4 : .name))
  }

  @Test(
    "An invalid host is rejected with the reason",
    arguments: [
      ("", HostNameError.empty), (".", .emptyLabel), ("..", .emptyLabel), ("a..b", .emptyLabel), (".a", .emptyLabel),
      ("a..", .emptyLabel), ("-a.com", .hyphenAtEdge), ("a-.com", .hyphenAtEdge), ("a_b.com", .invalidCharacter(0x5F)),
      ("*.example.com", .invalidCharacter(0x2A)), ("a b", .invalidCharacter(0x20)), ("a/b", .invalidCharacter(0x2F)),
      ("münchen.de", .notASCII), ("1.2.3", .invalidAddress), ("1.2.3.4.5", .invalidAddress),
      ("256.1.1.1", .invalidAddress),
      ("01.2.3.4", .invalidAddress), ("example.1", .invalidAddress), ("127.1", .invalidAddress),
      ("2130706433", .invalidAddress), ("0x7f000001", .invalidAddress), ("0X7F.0.0.1", .invalidAddress),
      ("a.0x", .invalidAddress), ("127.0.0.0x1", .invalidAddress),
      ("1:2", .invalidAddress), ("1:2:3:4:5:6:7:8:9", .invalidAddress), ("1::2::3", .invalidAddress),
      (":1::", .invalidAddress),
      ("1:2:3:4:5:6:7:", .invalidAddress), (":::", .invalidAddress), ("12345::", .invalidAddress),
      ("g::", .invalidAddress),
      ("fe80::1%eth0", .invalidAddress), ("[::1", .invalidAddress), ("::1]", .invalidAddress), ("[]", .invalidAddress),
      ("[example.com]", .invalidAddress), ("example.com:443", .invalidAddress), ("::1.2.3", .invalidAddress),
      ("::01.2.3.4", .invalidAddress), ("1.2.3.4::", .invalidAddress), ("1:2:3:4:5:6:7:1.2.3.4", .invalidAddress),
      ("::1:2:3:4:5:6:7:8", .invalidAddress), ("1:2:3:4::5:6:7:8", .invalidAddress), ("[", .invalidAddress),
    ])
  func refused(written: String, expected: HostNameError) {
    #expect(throws: expected) { try HostName(canonicalising: written) }
  }

  @Test("Lengths are counted to the octet")
  func lengths() throws {
    let label = String(repeating: "a", count: 63)
    let longest = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
    #expect(try HostName(canonicalising: longest).text.utf8.count == 253)
    #expect(try HostName(canonicalising: longest + ".").text.utf8.count == 253)
    #expect(throws: HostNameError.tooLong) { try HostName(canonicalising: longest + "a") }
    #expect(throws: HostNameError.labelTooLong) { try HostName(canonicalising: label + "a.com") }
  }

  @Test("A question may hold underscores and hyphens at an edge, and is read as a policy's host otherwise")
  func questions() throws {
    let host = try CanonicalHost("A_b.Example.com.".utf8Span.span, isQuestion: true)
    #expect(HostName(host).text == "a_b.example.com")
    #expect(host.kind == .name)
    for name in ["-a.example.com", "a-.example.com", "-", "-.example.com", "a.-1"] {
      let host = try CanonicalHost(name.utf8Span.span, isQuestion: true)
      #expect(HostName(host).text == name)
      #expect(host.kind == .name)
      #expect(throws: HostNameError.hyphenAtEdge) { try HostName(canonicalising: name) }
    }
    #expect(throws: HostNameError.self) { try CanonicalHost("a_b:1".utf8Span.span, isQuestion: true) }
  }

  @Test(
    "The names above a name, the nearest first; an address has none",
    arguments: [
      ("a.b.example", ["b.example", "example"]), ("b.example", ["example"]), ("example", []), ("10.0.0.5", []),
      ("2001:db8::1", []),
    ])
  func namesAbove(host: String, expected: [String]) throws {
    #expect(try HostName(canonicalising: host).namesAbove == expected)
  }

  @Test("Whatever is read is in canonical form already, for random texts", arguments: 0..<4)
  func idempotent(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<20_000 {
      let alphabet = Array(seed % 2 == 0 ? "0123456789abcdefx:.[]" : "ab0-.x")
      let text = String((0...random.below(14)).map { _ in random.pick(alphabet) })
      guard let host = try? HostName(canonicalising: text) else { continue }
      accepted += 1
      #expect((try? HostName(canonicalising: host.text)) == host, "\(text)")
    }
    #expect(accepted > 20)
  }
}
