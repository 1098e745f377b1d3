import Foundation
import PinCollector
import PinFormat
import PinReports
import PinValidator
import Testing

@Suite struct MismatchReportTests {
  @Test func reportsMismatchesAndDenialsAlone() throws {
    let bench = try Bench()
    let hosts = [
      try Bench.entry("api.example.com"), try Bench.entry("other.example.net", .reportOnly),
      try Bench.entry("third.example.net", .off),
    ]
    let manifest = try bench.manifest(hosts)
    let matching = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")])
    let denying = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")], denied: bench.leaf)
    let expiring = try bench.manifest([
      try Bench.entry("api.example.com", expires: "2026-11-01", onExpiry: .block)
    ])
    func isReported(_ judged: (handshake: PeerHandshake, decision: Decision, at: Instant)) -> Bool {
      MismatchReport(judged.handshake, judged.decision, at: judged.at) != nil
    }
    #expect(isReported(try bench.judge("api.example.com", manifest)))
    #expect(isReported(try bench.judge("other.example.net", manifest)))
    #expect(isReported(try bench.judge("api.example.com", denying)))
    #expect(!isReported(try bench.judge("api.example.com", matching)))
    #expect(!isReported(try bench.judge("third.example.net", manifest)))
    #expect(!isReported(try bench.judge("nobody.example", manifest)))
    #expect(!isReported(try bench.judge("nobody.example", manifest, transport: .replaced)))
    #expect(!isReported(try bench.judge("api.example.com", expiring)))
    // A trust failure isn't a pin mismatch.
    #expect(!isReported(try bench.judge("api.example.com", manifest, serves: [bench.leaf])))
    #expect(!isReported(try bench.judge("api.example.com", manifest, serves: [])))
    #expect(!isReported(try bench.judge("not a host", manifest)))
  }

  /// A client's certificate may name a person.
  @Test func neverReportsClients() throws {
    let bench = try Bench()
    let judged = try bench.judge("api.example.com", try bench.manifest([try Bench.entry("api.example.com")]))
    var handshake = judged.handshake
    handshake.peer = .client
    #expect(MismatchReport(handshake, judged.decision, at: judged.at) == nil)
  }

  @Test func saysWhatTheFormatsName() throws {
    let bench = try Bench()
    let manifest = try bench.manifest([
      try Bench.entry(
        "api.example.com", port: 8443, subdomains: true, .reportOnly, expires: "2026-12-24", onExpiry: .block)
    ])
    let judged = try bench.judge("V2.api.example.com.", port: 8443, manifest)
    let report = try #require(MismatchReport(judged.handshake, judged.decision, at: judged.at))
    #expect(report.hostname == "v2.api.example.com")
    #expect(report.port == 8443)
    #expect(report.notedHostname == "api.example.com")
    #expect(report.entry == "api.example.com:8443")
    #expect(report.includesSubdomains)
    #expect(!report.isEnforced)
    #expect(report.effectiveExpiration == (try instant("2026-12-24")))
    #expect(report.knownPins == [Pin(digest(1)), Pin(digest(2))])
    #expect(report.servedChain == [bench.leaf, bench.intermediate])
    #expect(report.validatedChain == [bench.leaf, bench.intermediate, bench.root])
    #expect(report.reportURIs == ["https://pins.example.org/reports"])
  }

  /// An entry that never expires is in force as long as its manifest.
  @Test func takesTheManifestsExpiryWhereTheEntryHasNone() throws {
    let bench = try Bench()
    let judged = try bench.judge("api.example.com", try bench.manifest([try Bench.entry("api.example.com")]))
    let report = try #require(MismatchReport(judged.handshake, judged.decision, at: judged.at))
    #expect(report.effectiveExpiration == (try instant("2027-01-01")))
    #expect(report.isEnforced)
  }

  @Test(arguments: ReportFormat.allCases)
  func isWrittenAsInTheFixtures(_ format: ReportFormat) throws {
    let report = try Self.report()
    let bytes = try #require(report.encoded(as: format, from: Self.service))
    try expect(bytes, matches: "mismatch-reports/valid/\(format.rawValue).json")
    guard case .mismatch(let received) = try ReportReader.read(bytes, contentType: format.mediaType) else {
      Issue.record("read as something else")
      return
    }
    #expect(received.format == format)
    #expect(received.hostname == report.hostname)
    #expect(received.port == report.port)
    #expect(received.dateTime == report.dateTime)
    #expect(received.effectiveExpiration == report.effectiveExpiration)
    #expect(received.includesSubdomains == report.includesSubdomains)
    #expect(received.notedHostname == report.notedHostname)
    #expect(received.knownPins == report.knownPins)
    #expect(received.validatedChain == report.validatedChain)
    #expect(received.servedChain == (format == .rfc7469 ? report.servedChain : []))
    #expect(received.isEnforced == (format == .trustKit ? true : nil))
    #expect(received.validationResult == (format == .trustKit ? 1 : nil))
    #expect(received.service == (format == .trustKit ? Self.service : nil))
    #expect(received.unreadableCertificates == 0)
  }

  /// RFC 7469 names nine fields, each once, and nothing of the service or the client is in them.
  @Test func hasTheNineFieldsOfTheRFC() throws {
    let bytes = try #require(try Self.report().encoded(as: .rfc7469, from: Self.service))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(
      object.keys.sorted() == [
        "date-time", "effective-expiration-date", "hostname", "include-subdomains", "known-pins", "noted-hostname",
        "port", "served-certificate-chain", "validated-certificate-chain",
      ])
    #expect(!String(decoding: bytes, as: UTF8.self).contains("payments"))
  }

  /// The report says what is left out, in PEM's explanatory text; the rest can be read as before.
  @Test func leavesOutTheEndOfTheServedChainAndSaysSo() throws {
    let bench = try Bench()
    let served = [bench.leaf, bench.intermediate] + Array(repeating: bench.other, count: 20)
    let manifest = try bench.manifest([try Bench.entry("api.example.com")])
    let judged = try bench.judge("api.example.com", manifest, serves: served)
    let report = try #require(MismatchReport(judged.handshake, judged.decision, at: judged.at))
    let whole = try #require(report.encoded(as: .rfc7469, from: Self.service))
    for limit in [whole.count - 1, whole.count / 2, 5_000] {
      let bytes = try #require(report.encoded(as: .rfc7469, from: Self.service, maximumBytes: limit))
      #expect(bytes.count <= limit)
      guard case .mismatch(let received) = try ReportReader.read(bytes, contentType: nil) else { return }
      #expect(received.unreadableCertificates == 0)
      #expect(received.validatedChain == report.validatedChain)
      #expect(received.servedChain == Array(served.prefix(received.servedChain.count)))
      let left = served.count - received.servedChain.count
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(left > 0)
      #expect(text.contains("\(left) more certificate\(left == 1 ? " was" : "s were") served and"))
    }
    #expect(report.encoded(as: .rfc7469, from: Self.service, maximumBytes: 2_000) == nil)
    #expect(report.encoded(as: .trustKit, from: Self.service, maximumBytes: 2_000) == nil)
  }

  static let service = ReportingService(
    name: "payments-api", version: "2.4.0 \"beta\"", platformVersion: "6.1", vendorIdentifier: "example")

  static func report() throws -> MismatchReport {
    let bench = try Bench()
    let judged = try bench.judge("api.example.com", try bench.manifest([try Bench.entry("api.example.com")]))
    return try #require(MismatchReport(judged.handshake, judged.decision, at: judged.at))
  }
}
