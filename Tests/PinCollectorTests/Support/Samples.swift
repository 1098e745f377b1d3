#if Collector
import Foundation
import PinFormat
import PinReports
@testable import PinCollector

/// Reports as clients send them.
enum Samples {
  static let now = Instant(secondsSinceEpoch: 1_795_262_400)  // 2026-11-21T12:00:00Z

  /// The certificates of a fixture, PEM.
  static func chain(_ name: String = "blocked.test") throws -> [String] {
    let text = try Repository.read("Tests/Fixtures/transports/\(name)/chain.pem")
    let end = "-----END CERTIFICATE-----"
    return text.components(separatedBy: end).dropLast().map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines) + "\n" + end
    }
  }

  static func rfc7469(
    host: String = "api.example.com", port: Int = 443, at time: String = "2026-11-21T11:59:00Z",
    adding: [String: Any] = [:]
  ) throws -> [UInt8] {
    let chain = try chain()
    let fields: [String: Any] = [
      "date-time": time, "hostname": host, "port": port, "effective-expiration-date": "2027-06-01T00:00:00Z",
      "include-subdomains": true, "noted-hostname": "example.com", "served-certificate-chain": chain,
      "validated-certificate-chain": chain,
      "known-pins": [
        "pin-sha256=\"d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=\"",
        "pin-sha256=\"E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=\"",
      ],
    ]
    return try json(fields.merging(adding) { $1 })
  }

  static func trustKit(host: String = "app.example.com", adding: [String: Any] = [:]) throws -> [UInt8] {
    let fields: [String: Any] = [
      "app-bundle-id": "com.example.app", "app-version": "4.2", "app-platform": "IOS",
      "app-platform-version": "17.1", "app-vendor-id": "599F9C00-92DC-4B5C-9464-7971F01F8370",
      "trustkit-version": "3.0.0", "hostname": host, "port": 443, "noted-hostname": "example.com",
      "include-subdomains": true, "enforce-pinning": true, "date-time": "2026-11-21T10:00:00Z",
      "validation-result": 1, "validated-certificate-chain": try chain(),
      "known-pins": ["pin-sha256=\"d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=\""],
    ]
    return try json(fields.merging(adding) { $1 })
  }

  static func aggregate(
    id: String = "a-1", reporter: String = "payments-api", day: String = "2026-11-20", serial: Int64 = 42,
    hosts: [AggregateReport.Host]? = nil
  ) -> AggregateReport {
    AggregateReport(
      id: id, reporter: reporter, day: Instant(written: day) ?? now,
      manifests: [.init(serial: serial, decisions: 1_234)],
      hosts: hosts ?? [
        .init(
          entry: "api.example.com", mode: .reportOnly,
          counts: .init(successes: 900, reportOnlyMismatches: 3), failingPins: failingPins,
          firstFailure: Instant(written: "2026-11-20T01:00:00Z"), lastFailure: Instant(written: "2026-11-20T23:00:00Z")),
        .init(
          entry: "pay.example.com:8443", mode: .enforce,
          counts: .init(
            successes: 331,
            failures: [.init(kind: "mismatch", count: 2), .init(kind: "untrusted", code: "unknown-issuer", count: 1)])),
        .init(entry: "quiet.example.com", mode: .reportOnly, counts: .init(successes: 12)),
      ], notPinned: 7, dropped: [.queueFull: 2])
  }

  private static var failingPins: [AggregateReport.FailingPin] {
    guard let digest = SHA256Digest([UInt8](repeating: 7, count: 32)) else { return [] }
    return [
      .init(
        pin: Pin(digest), position: .leaf, first: Instant(written: "2026-11-20T01:00:00Z") ?? now,
        last: Instant(written: "2026-11-20T23:00:00Z") ?? now, count: 3)
    ]
  }

  static func arrival(_ bytes: [UInt8], at now: Instant = now) throws -> Arrival {
    try ReportDecoding.arrival(of: bytes, contentType: "application/json", at: now)
  }

  static func json(_ fields: [String: Any]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]))
  }
}
#endif
