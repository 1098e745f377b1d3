import Foundation
import PinFormat
import PinProbe
import Synchronization
import TestSupport
import Testing

/// Names asked of a real DNS server, of a dead one, and of one that says wrong things.
struct NameResolverTests {
  private static func resolver(_ port: UInt16) throws -> NameResolver {
    try NameResolver(servers: [Endpoint(host: "127.0.0.1", port: port)])
  }

  private static func texts(_ result: Result<ResolvedName, TLSClientError>?) throws -> [String] {
    try #require(result).get().addresses.map(\.description)
  }

  private static func missing(_ result: Result<ResolvedName, TLSClientError>?) throws -> String? {
    try #require(result).get().missing?.message
  }

  private static func failure(_ result: Result<ResolvedName, TLSClientError>?) -> TLSClientError? {
    if case .failure(let error) = result { error } else { nil }
  }

  @Test func allAddressesOfANameAreFound() throws {
    let server = try DnsmasqServer(records: [
      "many.test": ["127.0.0.9", "127.0.0.10", "::1", "127.1.0.1", "2001:db8::2", "127.0.0.9"],
      "four.test": ["127.0.0.4"],
      "six.test": ["::1"],
    ])
    let found = try Self.resolver(server.port).addresses(
      of: ["many.test", "four.test", "six.test", "many.test", "MANY.Test"], jobs: 8, timeout: .seconds(20))
    #expect(found.count == 4)
    let many = ["127.0.0.9", "127.0.0.10", "127.1.0.1", "::1", "2001:db8::2"]
    #expect(try Self.texts(found["many.test"]) == many)
    #expect(try Self.texts(found["MANY.Test"]) == many)
    #expect(try Self.texts(found["four.test"]) == ["127.0.0.4"])
    #expect(try Self.texts(found["six.test"]) == ["::1"])
    for result in found.values { #expect(try Self.missing(result) == nil) }
  }

  @Test func whyThereIsNoAddressIsToldApart() throws {
    let server = try DnsmasqServer(records: ["empty.test": []])
    let long = String(repeating: "a", count: 64) + ".test"
    let names = ["gone.test", "empty.test", "other.example", long, "a..test", "", "a b.test", "bücher.test", "a\0b"]
    let found = try Self.resolver(server.port).addresses(of: names, jobs: 8, timeout: .seconds(20))
    let messages = found.compactMapValues { Self.failure($0)?.message }
    #expect(messages["gone.test"] == "DNS has no such name (NXDOMAIN)")
    #expect(messages["empty.test"] == "the name is in DNS without an address, neither A nor AAAA")
    #expect(messages["other.example"] == "the DNS server refuses to answer for this name (REFUSED)")
    for name in [long, "a..test", "", "a b.test", "bücher.test", "a\0b"] {
      #expect(messages[name] == "this is not a valid DNS name")
    }
    #expect(found.values.allSatisfy { Self.failure($0)?.code == .nameNotResolved })
  }

  @Test func aFailingServerIsSaidToFail() throws {
    let server = try FakeDNSServer { FakeDNSServer.answer(to: $0, code: 2) }
    let found = try Self.resolver(server.port).addresses(of: ["a.test"], jobs: 1, timeout: .seconds(20))
    #expect(
      Self.failure(found["a.test"])?.message
        == "the DNS server failed (SERVFAIL): DNSSEC or the zone's own servers, say")
  }

  @Test(arguments: [1, 100]) func aDeadServerIsSaidToBeDead(count: Int) throws {
    let names = (0..<count).map { "a\($0).test" }
    let found = try Self.resolver(try freePort()).addresses(of: names, jobs: count, timeout: .seconds(20))
    for name in names {
      #expect(Self.failure(found[name]) == TLSClientError(.nameNotResolved, "no DNS server can be reached"))
    }
  }

  @Test func aMuteServerRunsIntoTheTimeout() throws {
    let server = try FakeDNSServer { _ in nil }
    let names = (0..<20).map { "a\($0).test" }
    let found = try Self.resolver(server.port).addresses(of: names, jobs: 20, timeout: .milliseconds(300))
    for name in names {
      #expect(
        Self.failure(found[name]) == TLSClientError(.nameNotResolved, "no DNS server answered in time"))
    }
    // Lost questions are sent again.
    #expect(server.questions > 2 * names.count)
  }

  @Test(arguments: [1, 2]) func whatOneOfTheTwoQuestionsBroughtCounts(count: Int) throws {
    let fakes = try (0..<count).map { _ in try FakeDNSServer { FakeDNSServer.answerForA(to: $0) } }
    let resolver = try NameResolver(servers: fakes.map { Endpoint(host: "127.0.0.1", port: $0.port) })
    let found = try resolver.addresses(of: ["a.test"], jobs: 1, timeout: .seconds(4))
    #expect(try Self.texts(found["a.test"]) == ["127.0.0.4"])
    #expect(
      try Self.missing(found["a.test"]) == "its IPv6 addresses could not be looked up: no DNS server answered in time")
  }

  static let codes: [(code: UInt8, missing: String?)] = [
    (
      2,
      "its IPv6 addresses could not be looked up: the DNS server failed (SERVFAIL): DNSSEC or the zone's own servers, say"
    ),
    (5, "its IPv6 addresses could not be looked up: the DNS server refuses to answer for this name (REFUSED)"),
    // Both codes mean that there is no address, so nothing is missing.
    (0, nil),
    (3, nil),
  ]

  @Test(arguments: codes.indices) func whatTheOtherQuestionCameToIsSaid(row: Int) throws {
    let (code, missing) = Self.codes[row]
    let server = try FakeDNSServer { FakeDNSServer.answerForA(to: $0) ?? FakeDNSServer.answer(to: $0, code: code) }
    let found = try Self.resolver(server.port).addresses(of: ["a.test", "b.test"], jobs: 2, timeout: .seconds(20))
    for name in ["a.test", "b.test"] {
      #expect(try Self.texts(found[name]) == ["127.0.0.4"])
      #expect(try Self.missing(found[name]) == missing)
    }
  }

  @Test func noAddressOfOneFamilySaysNothingOfTheOther() throws {
    let server = try FakeDNSServer { question in
      FakeDNSServer.answer(to: question, code: FakeDNSServer.answerForA(to: question) == nil ? 0 : 2)
    }
    let found = try Self.resolver(server.port).addresses(of: ["a.test"], jobs: 1, timeout: .seconds(20))
    #expect(Self.failure(found["a.test"])?.message.hasPrefix("the DNS server failed (SERVFAIL)") == true)
  }

  /// Garbage isn't taken as an answer, because anybody may have sent it.
  @Test func aServerThatSendsGarbageIsAsIfItWereMute() throws {
    let server = try FakeDNSServer {
      Array($0.prefix(2)) + [0x81, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xC0, 0x0C]
    }
    let found = try Self.resolver(server.port).addresses(of: ["a.test"], jobs: 1, timeout: .milliseconds(300))
    #expect(Self.failure(found["a.test"])?.code == .nameNotResolved)
  }

  @Test func theNextServerIsAskedWhereOneFails() throws {
    let dead = Endpoint(host: "127.0.0.1", port: try freePort())
    let failing = try FakeDNSServer { FakeDNSServer.answer(to: $0, code: 5) }
    let server = try DnsmasqServer(records: ["a.test": ["127.0.0.4"]])
    let resolver = try NameResolver(
      servers: [dead, Endpoint(host: "127.0.0.1", port: failing.port), Endpoint(host: "127.0.0.1", port: server.port)])
    let found = try resolver.addresses(of: ["a.test", "gone.test"], jobs: 2, timeout: .seconds(20))
    #expect(try Self.texts(found["a.test"]) == ["127.0.0.4"])
    #expect(Self.failure(found["gone.test"])?.message == "DNS has no such name (NXDOMAIN)")
  }

  @Test func aThousandQuestionsAreAskedAtOnce() throws {
    let names = (0..<500).map { "host-\($0).test" }
    let records = names.enumerated().map { ($1, ["127.\($0 / 250).\($0 % 250).1", "127.9.9.9"]) }
    let server = try DnsmasqServer(
      records: Dictionary(uniqueKeysWithValues: records), arguments: ["--dns-forward-max=2000"])
    for jobs in [1, 64, 10_000] {
      let found = try Self.resolver(server.port).addresses(of: names, jobs: jobs, timeout: .seconds(30))
      #expect(found.count == 500)
      for (name, addresses) in records { #expect(try Self.texts(found[name]) == addresses) }
    }
  }

  /// They don't fit a UDP answer: c-ares asks again over TCP.
  @Test func moreAddressesThanAreKeptAreCut() throws {
    let addresses = (1...90).map { "127.0.1.\($0)" }
    let server = try DnsmasqServer(records: ["many.test": addresses])
    let found = try Self.resolver(server.port).addresses(of: ["many.test"], jobs: 1, timeout: .seconds(20))
    #expect(try Self.texts(found["many.test"]) == Array(addresses.prefix(NameResolver.maximumAddresses)))
    #expect(try Self.missing(found["many.test"]) == "it has 90 addresses, of which 64 are probed")
  }

  @Test func whatNeedsNoAskingIsAnsweredWithout() throws {
    let names = ["10.0.0.5", "::1", "2001:DB8::0", "localhost", "a.LOCALHOST"]
    let found = try Self.resolver(try freePort()).addresses(of: names, jobs: 1, timeout: .seconds(20))
    #expect(try Self.texts(found["10.0.0.5"]) == ["10.0.0.5"])
    #expect(try Self.texts(found["::1"]) == ["::1"])
    #expect(try Self.texts(found["2001:DB8::0"]) == ["2001:db8::"])
    #expect(try Self.texts(found["localhost"]) == ["127.0.0.1"])
    #expect(try Self.texts(found["a.LOCALHOST"]) == ["127.0.0.1"])
  }

  @Test func theHostsFileCountsWhereNoServerIsNamed() throws {
    let found = try NameResolver(servers: []).addresses(
      of: ["localhost", "a.localhost"], jobs: 1, timeout: .seconds(20))
    #expect(try Self.texts(found["localhost"]).contains { $0 == "127.0.0.1" || $0 == "::1" })
    // Records that the file lacks aren't reported as missing.
    #expect(try Self.missing(found["localhost"]) == nil)
    #expect(try Self.texts(found["a.localhost"]) == ["127.0.0.1"])
  }

  @Test func aServerIsGivenByItsAddress() {
    let error = #expect(throws: TLSClientError.self) {
      try NameResolver(servers: [Endpoint(host: "dns.test", port: 53)])
    }
    #expect(error?.message == "a DNS server is given by its address, which 'dns.test' isn't")
  }

  @Test func cancellingEndsWhatIsNotAnswered() throws {
    let mute = try FakeDNSServer { _ in nil }
    let pulses = Atomic(0)
    let found = try Self.resolver(mute.port).addresses(
      of: ["a.test", "b.test", "127.0.0.1"], jobs: 1, timeout: .seconds(600),
      isCancelled: { pulses.add(1, ordering: .relaxed).newValue > 3 })
    #expect(Self.failure(found["a.test"])?.code == .cancelled)
    #expect(Self.failure(found["b.test"])?.code == .cancelled)
    #expect(try Self.texts(found["127.0.0.1"]) == ["127.0.0.1"])
  }

  @Test func noMoreThanAllowedAreUnderWay() throws {
    let mute = try FakeDNSServer { _ in nil }
    let names = (0..<50).map { "a\($0).test" }
    let asked = Atomic(0)
    _ = try Self.resolver(mute.port).addresses(
      of: names, jobs: 5, timeout: .seconds(600), isCancelled: { asked.add(1, ordering: .relaxed).newValue > 5 })
    #expect((1...5).contains(mute.names.count))
  }

  @Test func noSocketIsLeftOpen() throws {
    let server = try DnsmasqServer(records: ["a.test": ["127.0.0.4"]])
    let mute = try FakeDNSServer { _ in nil }
    _ = try Self.resolver(server.port).addresses(of: ["a.test", "gone.test"], jobs: 2, timeout: .seconds(20))
    _ = try Self.resolver(mute.port).addresses(of: ["a.test", "b.test"], jobs: 2, timeout: .milliseconds(50))
    // The kernel's table of UDP sockets: local address, remote address.
    let remotes = String(decoding: try readFile("/proc/net/udp"), as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: " ").dropFirst(2).first }
    for port in [server.port, mute.port] {
      let digits = String(port, radix: 16, uppercase: true)
      #expect(!remotes.contains { $0.hasSuffix(":" + String(repeating: "0", count: 4 - digits.count) + digits) })
    }
  }
}
