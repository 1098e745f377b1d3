import PinFormat
import PinProbe
import Testing

struct DetourTests {
  @Test(arguments: [
    ("a.test:443:127.0.0.1", "a.test|443|127.0.0.1|-"),
    ("a.test:443:127.0.0.1:8443", "a.test|443|127.0.0.1|8443"),
    ("a.test:443:127.0.0.1:", "a.test|443|127.0.0.1|-"),
    ("a.test::127.0.0.1", "a.test|-|127.0.0.1|-"),
    (":443:127.0.0.1", "|443|127.0.0.1|-"),
    ("::127.0.0.1:8443", "|-|127.0.0.1|8443"),
    ("a.test:443:[2001:db8::1]:8443", "a.test|443|2001:db8::1|8443"),
    ("[2001:db8::2]:443:[::1]", "2001:db8::2|443|::1|-"),
    ("bücher.test:443:127.0.0.1", "bücher.test|443|127.0.0.1|-"),
  ])
  func isTakenApart(_ text: String, _ expected: String) throws {
    let parts = try #require(Detour.parts(of: text))
    func number(_ port: UInt16?) -> String { port.map(String.init) ?? "-" }
    #expect("\(parts.host)|\(number(parts.port))|\(parts.address)|\(number(parts.addressPort))" == expected)
  }

  @Test(arguments: [
    "", ":", "::", "a.test", "a.test:443", "a.test:443:", "a.test:443:localhost", "a.test:443:127.0.0.1:0",
    "a.test:0:127.0.0.1", "a.test:x:127.0.0.1", "a.test:65536:127.0.0.1", "a.test:443:127.0.0.1:8443:",
    "a.test:443:127.0.0.1:8443:1", "a.test:443:::1", "a.test:443:[::1", "a.test:443:[::1]8443", "a.test:443:127.1",
  ])
  func othersAreNot(_ text: String) {
    #expect(Detour.parts(of: text) == nil)
  }

  @Test(
    arguments: [
      (nil, nil, true), ("a.test", nil, true), (nil, 443, true), ("a.test", 443, true),
      ("b.test", nil, false), (nil, 8443, false), ("a.test", 8443, false), ("b.test", 443, false),
    ] as [(String?, UInt16?, Bool)])
  func aDetourIsForItsHostAndPort(_ host: String?, _ port: UInt16?, _ isFor: Bool) throws {
    let detour = Detour(
      host: try host.map { try HostName(canonicalising: $0) }, port: port,
      address: try #require(IPAddress("127.0.0.1")), addressPort: nil)
    #expect(detour.covers(ProbeTarget(host: try HostName(canonicalising: "a.test"), port: 443)) == isFor)
  }

  @Test func theMostSpecificAreTaken() throws {
    func detour(_ host: String?, _ port: UInt16?, _ address: String) throws -> Detour {
      Detour(
        host: try host.map { try HostName(canonicalising: $0) }, port: port,
        address: try #require(IPAddress(address)), addressPort: nil)
    }
    let detours = Detours([
      try detour(nil, nil, "127.0.0.1"), try detour(nil, 993, "127.0.0.2"), try detour("a.test", nil, "127.0.0.3"),
      try detour("a.test", 443, "127.0.0.4"), try detour("a.test", 443, "127.0.0.5"),
    ])
    func addresses(_ host: String, _ port: UInt16) throws -> [String] {
      detours.taken(for: ProbeTarget(host: try HostName(canonicalising: host), port: port)).map(\.address.description)
    }
    #expect(try addresses("a.test", 443) == ["127.0.0.4", "127.0.0.5"])
    #expect(try addresses("a.test", 993) == ["127.0.0.3"])
    #expect(try addresses("b.test", 993) == ["127.0.0.2"])
    #expect(try addresses("b.test", 443) == ["127.0.0.1"])
    #expect(Detours([]).taken(for: ProbeTarget(host: try HostName(canonicalising: "a.test"), port: 443)).isEmpty)
  }
}
