import PinFormat
import PinProbe
import Testing

/// Which hosts a hosted runner may connect to, and which are left to one inside.
struct HostNetworkTests {
  private static func target(_ host: String) throws -> ProbeTarget {
    ProbeTarget(host: try HostName(canonicalising: host), port: 443)
  }

  @Test(
    "everybody can reach it",
    arguments: [
      "api.example.com", "www.shop.co.uk", "shop.org.ck", "9.9.9.9", "172.32.0.1", "100.128.0.1", "192.169.0.1",
      "2606:4700::1", "xn--e1afmkfd.xn--p1ai", "corp.example.com.au",
    ])
  func isPublic(host: String) throws {
    #expect(NetworkLimit(.public, internal: "").allows(try Self.target(host)))
    #expect(!NetworkLimit(.internal, internal: "").allows(try Self.target(host)))
  }

  @Test(
    "only machines inside can reach it",
    arguments: [
      "db", "db.corp", "db.internal", "printer.local", "nas.home.arpa", "api.test", "10.0.0.5", "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "169.254.169.254", "127.0.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1",
      "255.1.1.1", "::1", "fd00::1", "fe80::1", "2001:db8::1", "2002:a00:5::1", "64:ff9b::a00:5",
    ])
  func isInternal(host: String) throws {
    #expect(!NetworkLimit(.public, internal: "").allows(try Self.target(host)))
    #expect(NetworkLimit(.internal, internal: "").allows(try Self.target(host)))
  }

  @Test("a list names further internal hosts, as NO_PROXY does")
  func listed() throws {
    let limit = NetworkLimit(.public, internal: "corp.example.com, 203.0.112.0/24")
    for host in ["corp.example.com", "db.corp.example.com", "203.0.112.9"] {
      #expect(!limit.allows(try Self.target(host)))
    }
    for host in ["notcorp.example.com", "example.com", "203.0.111.9"] { #expect(limit.allows(try Self.target(host))) }
  }

  @Test("a host that is given an address is probed wherever it is")
  func detour() throws {
    var choice = ProbePlan.Choice()
    choice.limit = NetworkLimit(.public, internal: "")
    choice.wishes = [ProbePlan.Wish(host: try HostName(canonicalising: "db.corp"))]
    #expect(ProbePlan(nil, choice).targets.isEmpty)
    let address = try #require(IPAddress("127.0.0.1"))
    choice.detours = Detours([Detour(host: nil, port: nil, address: address, addressPort: nil)])
    #expect(ProbePlan(nil, choice).targets.map(\.host.text) == ["db.corp"])
  }
}
