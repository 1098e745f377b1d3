import Foundation
import PinCollector
import PinFormat
import PinReports
import TestSupport
import Testing

/// What other senders write, and what nobody should.
@Suite struct ReaderTests {
  private func mismatch(_ text: String, _ contentType: String? = "application/json") throws -> ReceivedMismatch {
    guard case .mismatch(let report) = try ReportReader.read(Array(text.utf8), contentType: contentType) else {
      throw ReaderTestError.wrongKind
    }
    return report
  }

  private enum ReaderTestError: Error { case wrongKind }

  /// The example of RFC 7469 section 3 in form: any order, spaces, line breaks in certificates that aren't any.
  @Test func readsTheExampleOfTheRFC() throws {
    let report = try mismatch(
      """
      {
        "date-time": "2014-04-06T13:00:50Z",
        "hostname": "www.example.com",
        "port": 443,
        "effective-expiration-date": "2014-05-01T12:40:50Z",
        "include-subdomains": false,
        "served-certificate-chain": ["-----BEGIN CERTIFICATE-----\\nMIIEBDCCAuygAwIBAgIDAjppMA0GCSqGSIb3DQEBBQUAMEIxCzAJBgNVBAYTAlVT\\n-----END CERTIFICATE-----"],
        "validated-certificate-chain": [],
        "known-pins": [
          "pin-sha256=\\"d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=\\"",
          "pin-sha256='E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g='",
          "pin-sha1=\\"Yz4vayd/83AVyJsPZ3Kq2SFSTSA=\\""
        ]
      }
      """, "application/json; charset=utf-8")
    #expect(report.format == .rfc7469)
    #expect(report.hostname == "www.example.com")
    #expect(report.port == 443)
    #expect(report.dateTime == (try instant("2014-04-06T13:00:50Z")))
    #expect(report.includesSubdomains == false)
    #expect(report.notedHostname == nil)
    #expect(report.unreadableCertificates == 1)
    #expect(report.knownPins.count == 2)
    #expect(report.service == nil)
  }

  /// What is behind a certificate that can't be read doesn't count as the leaf.
  @Test func aChainEndsAtWhatCannotBeRead() throws {
    let leaf = String(decoding: try fixture("mismatch-reports/chain/leaf.pem"), as: UTF8.self)
      .replacingOccurrences(of: "\n", with: "\\n")
    let report = try mismatch(
      """
      {"hostname":"www.example.com","date-time":"2026-12-05T12:00:00Z","known-pins":[],
       "served-certificate-chain":["none","\(leaf)"],"validated-certificate-chain":["\(leaf)","none","\(leaf)"]}
      """)
    #expect(report.servedPins.isEmpty && report.validatedPins.count == 1)
    #expect(report.unreadableCertificates == 4)
    #expect(report.leafNames != nil)
  }

  @Test func readsWhatTrustKitSends() throws {
    let leaf = String(decoding: try fixture("mismatch-reports/chain/leaf.pem"), as: UTF8.self)
      .replacingOccurrences(of: "\n", with: "\\n").replacingOccurrences(of: "/", with: "\\/")
    let report = try mismatch(
      """
      {"app-bundle-id":"com.example.app","app-version":"1.2","app-platform":"IOS","app-platform-version":"17.0.1",
       "app-vendor-id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","trustkit-version":"3.0.3","hostname":"Mail.Example.com",
       "port":0,"noted-hostname":"example.com","include-subdomains":1,"enforce-pinning":false,
       "validated-certificate-chain":["\(leaf)"],"date-time":"2026-12-05T12:00:00Z","validation-result":1,
       "known-pins-expiration-date":null,"known-pins":["pin-sha256=\\"d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=\\""]}
      """, nil)
    #expect(report.format == .trustKit)
    #expect(report.hostname == "mail.example.com")
    #expect(report.port == nil)
    #expect(report.includesSubdomains == true)
    #expect(report.isEnforced == false)
    #expect(report.validationResult == 1)
    #expect(report.effectiveExpiration == nil)
    #expect(report.validatedChain == [try Bench().leaf])
    #expect(report.validatedPins.count == 1)
    #expect(report.servedChain.isEmpty)
    #expect(report.service?.name == "com.example.app")
    #expect(report.service?.platform == "IOS")
  }

  @Test(
    arguments: [
      ("\"443\"", 443), ("443", 443), ("0", nil), ("null", nil), ("65535", 65_535),
    ] as [(String, UInt16?)])
  func readsPorts(text: String, port: UInt16?) throws {
    #expect(try mismatch("{\"hostname\":\"a.example\",\"port\":\(text)}").port == port)
  }

  @Test(
    arguments: [
      ("2026-12-05T12:00:00Z", 0), ("2026-12-05t12:00:00z", 0), ("2026-12-05T12:00:00.999Z", 0),
      ("2026-12-05T14:00:00+02:00", 0), ("2026-12-05T09:30:00.5-02:30", 0), ("2026-12-05 12:00:01Z", 1),
      ("2026-12-05T11:59:60Z", 0), ("2026-12-05", -43_200),
    ] as [(String, Int64)])
  func readsTimes(text: String, seconds: Int64) throws {
    let report = try mismatch("{\"hostname\":\"a.example\",\"date-time\":\"\(text)\"}")
    #expect(report.dateTime == (try instant(Bench.noon).adding(seconds: seconds)))
  }

  @Test(arguments: [
    ("", "not-json"), ("  ", "not-json"), ("[]", "not-json"), ("null", "not-json"), ("{", "not-json"),
    ("{}", "missing-field"), ("{\"hostname\":", "not-json"), ("{\"hostname\":\"a.example\"} x", "not-json"),
    ("{\"hostname\":\"a.example\"", "not-json"), ("{\"hostname\":\"a.example", "not-json"),
    ("{\"hostname\":\"a\",\"hostname\":\"b\"}", "not-json"), ("{\"hostname\":\"a.example\\", "not-json"),
    ("{\"port\":443}", "missing-field"), ("{\"hostname\":null}", "invalid-value"),
    ("{\"hostname\":7}", "invalid-value"),
    ("{\"hostname\":\"\"}", "invalid-value"), ("{\"hostname\":\"a b\"}", "invalid-value"),
    ("{\"hostname\":\"a\\nb\"}", "invalid-value"), ("{\"hostname\":\"a\\u0000\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"port\":-1}", "invalid-value"), ("{\"hostname\":\"a\",\"port\":65536}", "invalid-value"),
    ("{\"hostname\":\"a\",\"port\":1.5}", "invalid-value"), ("{\"hostname\":\"a\",\"port\":\"x\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"port\":{}}", "invalid-value"), ("{\"hostname\":\"a\",\"known-pins\":{}}", "invalid-value"),
    ("{\"hostname\":\"a\",\"date-time\":\"yesterday\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"date-time\":\"2026-02-30T00:00:00Z\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"date-time\":\"2026-12-05T12:00:00\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"date-time\":\"2026-12-05T12:00:00+2:00\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"include-subdomains\":2}", "invalid-value"),
    ("{\"hostname\":\"a\",\"include-subdomains\":\"maybe\"}", "invalid-value"),
    ("{\"hostname\":\"a\",\"x\":[[[[[[[[1]]]]]]]]}", "over-limit"),
    ("{\"hostname\":\"a\",\"app-bundle-id\":\"a\\u001bb\"}", "invalid-value"),
    ("{\"type\":\"x\",\"reporter\":\"y\"}", "missing-field"),
  ])
  func refuses(text: String, code: String) {
    #expect(Self.code(Array(text.utf8)) == code)
  }

  @Test func refusesWhatIsTooMuch() throws {
    let long = String(repeating: "a", count: 100_000)
    #expect(Self.code(Array("{\"hostname\":\"a\",\"x\":\"\(long)\"}".utf8)) == "over-limit")
    let many = Array(repeating: "\"x\"", count: 33).joined(separator: ",")
    #expect(Self.code(Array("{\"hostname\":\"a\",\"served-certificate-chain\":[\(many)]}".utf8)) == "over-limit")
    let pins = Array(repeating: "\"x\"", count: 1_025).joined(separator: ",")
    #expect(Self.code(Array("{\"hostname\":\"a\",\"known-pins\":[\(pins)]}".utf8)) == "over-limit")
    let spaces = [UInt8](repeating: 0x20, count: ReportReader.maximumMismatchBytes)
    #expect(Self.code(Array("{\"hostname\":\"a\"}".utf8) + spaces) == "too-large")
    #expect(Self.code([UInt8](repeating: 0x20, count: ReportReader.maximumAggregateBytes + 1)) == "too-large")
    let zeros = Array(repeating: "0", count: 420_000).joined(separator: ",")
    #expect(Self.code(Array("{\"hostname\":\"a\",\"x\":[\(zeros)]}".utf8)) == "over-limit")
  }

  @Test func refusesWhatIsNoUTF8() {
    #expect(Self.code(Array("{\"hostname\":\"a\",\"x\":\"".utf8) + [0xFF, 0x22, 0x7D]) == "not-json")
    #expect(
      Self.code([0xFF, 0xFE] + "{\"hostname\":\"a\"}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        == "not-json")
    #expect(Self.code("{\"hostname\":\"a\"}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == "not-json")
    #expect(Self.code([0xEF, 0xBB, 0xBF] + Array("{\"hostname\":\"a\"}".utf8)) == "not-json")
  }

  @Test(arguments: [
    ("application/json", true), ("Application/JSON;charset=UTF-8", true), ("text/plain", true), ("", true),
    ("text/json", true), ("image/png", false), ("application/x-www-form-urlencoded", false), ("application", false),
  ])
  func takesTheMediaTypesOfReports(type: String, isTaken: Bool) {
    #expect(Self.code(Array("{\"hostname\":\"a\"}".utf8), type) == (isTaken ? nil : "media-type"))
  }

  /// Each field of an aggregate is changed to what it can't be.
  @Test(arguments: [
    ("\"version\":1", "\"version\":2", "unsupported-version"),
    ("\"day\":\"2026-12-05\"", "\"day\":\"5.12.\"", "invalid-value"),
    ("\"decisions\":80412", "\"decisions\":-1", "invalid-value"), ("report-only\"", "trial\"", "invalid-value"),
    ("\"count\":1,\"reason\"", "\"count\":-1,\"reason\"", "invalid-value"),
    ("\"reporter\"", "\"sender\"", "missing-field"),
    ("\"entry\":\"api.example.com\"", "\"entry\":\"\"", "invalid-value"),
    ("sha256/", "sha1/", "invalid-value"), ("\"position\":\"leaf\"", "\"position\":\"top\"", "invalid-value"),
    ("\"successes\":900", "\"successes\":\"900\"", "invalid-value"), ("00000000075bcd15-0", "", "invalid-value"),
    ("vnd.pintle.aggregate.v1", "vnd.pintle.aggregate.v2", "invalid-value"),
  ])
  func refusesAggregates(that: String, becomes: String, code: String) throws {
    let text = String(decoding: try fixture("aggregates/valid/full.json"), as: UTF8.self)
    let changed = text.replacingOccurrences(of: that, with: becomes)
    #expect(changed != text)
    #expect(Self.code(Array(changed.utf8), AggregateReport.mediaType) == code)
  }

  /// Newer senders may say more.
  @Test func passesOverWhatItDoesNotKnow() throws {
    let text = String(decoding: try fixture("aggregates/valid/full.json"), as: UTF8.self)
    let changed = text.replacingOccurrences(of: "queue-full", with: "new-reason")
      .replacingOccurrences(of: "{\"day\"", with: "{ \"new\" : [ 1.5e3, null, {} ] ,\n \"day\"")
    guard case .aggregate(let report) = try ReportReader.read(Array(changed.utf8), contentType: nil) else { return }
    #expect(report.hosts == (try AggregateTests.full().hosts))
    #expect(report.dropped == [.busy: 1])
  }

  /// Whatever the bytes are, there is an answer.
  @Test func survivesChangedBytes() throws {
    var generator = SeededGenerator(seed: 11)
    let inputs = try [
      "mismatch-reports/valid/rfc7469.json", "mismatch-reports/valid/trustkit.json", "aggregates/valid/full.json",
    ]
    .map { try fixture($0) }
    var answers: Set<String> = []
    for _ in 0..<1_500 {
      var bytes = generator.pick(inputs)
      for _ in 0...generator.below(4) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
      if generator.once(in: 4) { bytes.removeLast(generator.below(bytes.count)) }
      answers.insert(Self.code(bytes) ?? "read")
    }
    #expect(answers.isSuperset(of: ["read", "not-json", "invalid-value"]))
  }

  private static func code(_ bytes: [UInt8], _ type: String? = "application/json") -> String? {
    do {
      _ = try ReportReader.read(bytes, contentType: type)
      return nil
    } catch {
      return error.code.description
    }
  }
}
