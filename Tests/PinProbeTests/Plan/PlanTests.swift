import Diagnostics
import PinFormat
import PinProbe
import Testing

struct PlanTests {
  typealias Entry = PolicyByHand.Entry

  /// A policy, what the command line says, and the servers that are visited.
  struct Case: CustomTestStringConvertible {
    var name: String
    var entries: [Entry]
    var wishes: [String] = []
    var ports: [UInt16] = [443]
    var expected: [String]

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "each pinned host, sorted", entries: [Entry(host: "b.test"), Entry(host: "a.test", mode: .reportOnly)],
      expected: ["a.test:443", "b.test:443"]),
    Case(name: "nothing", entries: [], expected: []),
    Case(
      name: "an entry's own port, and its host's other entry on the usual one",
      entries: [Entry(host: "a.test", port: 8443), Entry(host: "a.test")], expected: ["a.test:443", "a.test:8443"]),
    Case(
      name: "each default port where an entry names none",
      entries: [Entry(host: "a.test"), Entry(host: "b.test", port: 993)], ports: [443, 8443],
      expected: ["a.test:443", "a.test:8443", "b.test:993"]),
    Case(
      name: "the names to probe, once, on the entry's port",
      entries: [Entry(host: "a.test", port: 993, probe: ["x.a.test", "y.a.test", "x.a.test"])],
      expected: ["a.test:993", "x.a.test:993", "y.a.test:993"]),
    Case(
      name: "not what is off", entries: [Entry(host: "a.test", mode: .off, probe: ["x.a.test"])], expected: []),
    Case(
      name: "not a name to probe that is off by itself",
      entries: [Entry(host: "a.test", probe: ["x.a.test", "y.a.test"]), Entry(host: "x.a.test", mode: .off)],
      expected: ["a.test:443", "y.a.test:443"]),
    Case(
      name: "a port that is off, and one that is pinned although its host is off",
      entries: [
        Entry(host: "a.test"), Entry(host: "a.test", port: 443, mode: .off),
        Entry(host: "b.test", port: 443), Entry(host: "b.test", mode: .off),
      ],
      ports: [443, 8443], expected: ["a.test:8443", "b.test:443"]),
    Case(
      name: "addresses", entries: [Entry(host: "10.0.0.5", port: 8443), Entry(host: "2001:db8::1")],
      expected: ["10.0.0.5:8443", "[2001:db8::1]:443"]),
    Case(
      name: "a wish limits", entries: [Entry(host: "a.test"), Entry(host: "b.test")], wishes: ["b.test"],
      expected: ["b.test:443"]),
    Case(
      name: "a wish without a port has all that the policy gives it",
      entries: [Entry(host: "a.test", port: 993), Entry(host: "a.test", port: 995)], wishes: ["a.test"],
      expected: ["a.test:993", "a.test:995"]),
    Case(
      name: "a wish with a port has that one alone",
      entries: [Entry(host: "a.test", port: 993), Entry(host: "a.test")],
      wishes: ["a.test:993"], expected: ["a.test:993"]),
    Case(
      name: "a wish that the policy doesn't have is added", entries: [Entry(host: "a.test")],
      wishes: ["c.test", "a.test:8443"], ports: [443, 444],
      expected: ["a.test:8443", "c.test:443", "c.test:444"]),
  ]

  @Test(arguments: cases)
  func targets(_ test: Case) throws {
    let policy = try PolicyByHand.make(test.entries)
    var choice = ProbePlan.Choice()
    choice.ports = test.ports
    choice.wishes = try test.wishes.map { text in
      let parts = text.split(separator: ":")
      return ProbePlan.Wish(
        host: try HostName(canonicalising: String(parts[0])), port: parts.count > 1 ? UInt16(parts[1]) : nil)
    }
    let plan = ProbePlan(PlannedNames(policy, ports: test.ports), choice)
    #expect(plan.targets.map { HostLabel.text(host: $0.host, port: $0.port) } == test.expected)
  }

  @Test func placesAreThoseOfEntriesBeforeThoseOfLists() throws {
    let policy = try PolicyByHand.make([
      Entry(host: "a.test", probe: ["x.a.test", "y.a.test"]), Entry(host: "x.a.test"),
    ])
    let names = PlannedNames(policy).names
    #expect(names.map(\.host.text) == ["a.test", "x.a.test", "y.a.test"])
    #expect(names.map(\.place.start.line) == [1, 2, 101])
  }

  @Test func filesLimitTheEntries() throws {
    let policy = try PolicyByHand.make([Entry(host: "a.test", file: 0), Entry(host: "b.test", file: 1)])
    #expect(PlannedNames(policy, in: [FileID(1)]).names.map(\.host.text) == ["b.test"])
  }

  @Test func theProtocolIsThatOfThePortUnlessItIsStated() throws {
    let ports: [UInt16] = [25, 110, 143, 389, 443, 587, 2525, 5432]
    let policy = try PolicyByHand.make(ports.map { Entry(host: "a.test", port: $0) })
    var choice = ProbePlan.Choice()
    choice.startTLS = [2525: StartTLS.smtp, 5432: StartTLS?.none]
    let protocols = ProbePlan(PlannedNames(policy), choice).targets.map(\.startTLS)
    #expect(protocols == [.smtp, .pop3, .imap, .ldap, nil, .smtp, .smtp, nil])
  }
}
