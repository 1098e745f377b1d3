import Foundation
import PinFormat
import PinProbe
import Testing

/// The files in Tests/Fixtures/evidence, which Scripts/make/evidence-fixtures wrote; Scripts/check/schemas holds the
/// JSON Schema against the same files.
@Suite("Evidence that another program wrote")
struct EvidenceFixtureTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../..").standardized
  private static let folder = root.appendingPathComponent("Tests/Fixtures/evidence")

  private static func names(_ kind: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(kind).path)) ?? []
    return all.filter { $0.hasSuffix(".json") }.sorted()
  }

  private func read(_ kind: String, _ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appendingPathComponent(kind).appendingPathComponent(name)))
  }

  @Test("All fixtures are there")
  func counts() {
    #expect(Self.names("valid") == ["everything.json", "example.json", "nothing.json", "shard-1.json", "shard-2.json"])
    #expect(Set(Self.names("invalid").map { String($0.dropLast(5)) }) == Set(Self.codes.keys))
  }

  @Test("Valid files are accepted, and are the bytes that would be written", arguments: names("valid"))
  func valid(name: String) throws {
    let bytes = try read("valid", name)
    let evidence = try Evidence(reading: bytes)
    #expect(String(decoding: evidence.encoded(), as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
  }

  @Test("Invalid files are refused for their one mistake, with its place in the file", arguments: names("invalid"))
  func invalid(name: String) throws {
    let bytes = try read("invalid", name)
    let error = #expect(throws: FormatError.self) { try Evidence(reading: bytes) }
    #expect(error?.code.description == Self.codes[String(name.dropLast(5))], "\(error.debugDescription)")
    #expect(error.map { $0.offset >= 0 && $0.offset <= bytes.count && !$0.message.isEmpty } == true)
  }

  @Test("Every kind of failure and every protocol is in a file")
  func words() throws {
    let evidence = try Evidence(reading: try read("valid", "everything.json"))
    let failures = Set(evidence.targets.compactMap { $0.unresolved?.kind })
    #expect(failures == Set(ConnectionFailure.allCases))
    #expect(Set(evidence.targets.compactMap(\.startTLS)) == Set(StartTLS.allCases))
  }

  @Test("The example says what the page about the format says")
  func example() throws {
    let evidence = try Evidence(reading: try read("valid", "example.json"))
    #expect(evidence.begun.description == "2026-11-21T09:00:00Z")
    #expect(evidence.tool == "pintle 0.1.0")
    #expect(evidence.stores.map(\.name) == ["corporate", "system"])
    #expect(evidence.stores.map(\.anchors.count) == [1, 0])
    #expect(evidence.targets.map(\.host.text) == ["api.example.com", "old.example.com"])
    #expect(evidence.targets.map(\.addresses.count) == [2, 0])
    #expect(evidence.targets.last?.unresolved?.kind == .nameNotResolved)
    let visits = try #require(evidence.targets.first?.addresses.first?.visits)
    #expect(visits.map(\.offer) == [Evidence.Offer(.ecdsa, .tls13), Evidence.Offer(.rsa, .tls13)])
    #expect(visits.map { $0.served?.chain.count } == [1, nil])
    #expect(visits.map { $0.failure?.alert } == [nil, 40])
    #expect(evidence.targets.first?.addresses.last?.visits.map(\.attempts) == [3, 3])
  }

  /// Why each invalid file is refused.
  private static let codes = [
    "address-in-another-form": "invalid-value",
    "address-that-is-a-name": "invalid-value",
    "address-with-zone": "invalid-value",
    "alert-of-256": "invalid-value",
    "all-shards": "contradiction",
    "attempts-of-one": "invalid-value",
    "boolean": "not-canonical",
    "byte-order-mark": "not-canonical",
    "certificate-with-stray-bits": "invalid-value",
    "chain-of-33": "over-limit",
    "client-certificate-not-asked": "invalid-value",
    "date-that-is-none": "invalid-value",
    "date-without-time": "invalid-value",
    "empty-certificate": "invalid-value",
    "empty-chain": "not-canonical",
    "empty-message": "invalid-value",
    "empty-staple": "invalid-value",
    "empty-tool": "invalid-value",
    "ended-before-it-began": "contradiction",
    "fraction": "not-canonical",
    "host-in-capitals": "invalid-value",
    "host-with-trailing-dot": "invalid-value",
    "instant-with-offset": "invalid-value",
    "line-break-at-the-end": "trailing-bytes",
    "message-of-301": "over-limit",
    "message-with-c1-control": "invalid-value",
    "message-with-delete": "invalid-value",
    "message-with-escape-sequence": "invalid-value",
    "missing-field": "misplaced-field",
    "needless-escape": "not-canonical",
    "no-addresses": "not-canonical",
    "no-certificates": "not-canonical",
    "no-stores": "not-canonical",
    "no-targets": "not-canonical",
    "no-visits": "not-canonical",
    "not-utf-8": "not-canonical",
    "one-shard": "invalid-value",
    "other-order": "misplaced-field",
    "other-type": "invalid-value",
    "other-version": "unsupported-version",
    "partial-of-zero": "invalid-value",
    "port-as-text": "not-canonical",
    "port-of-zero": "invalid-value",
    "port-repeated": "contradiction",
    "repeated-address": "not-sorted",
    "repeated-field": "misplaced-field",
    "repeated-offer": "not-sorted",
    "repeated-target": "not-sorted",
    "shard-beyond-the-count": "invalid-value",
    "shard-of-zero": "invalid-value",
    "space": "not-canonical",
    "staple-without-chain": "misplaced-field",
    "store-in-capitals": "invalid-value",
    "target-with-neither": "contradiction",
    "timestamps-of-zero": "invalid-value",
    "truncated": "truncated",
    "undefined-anchor": "dangling-reference",
    "undefined-certificate": "dangling-reference",
    "unknown-failure": "invalid-value",
    "unknown-field": "unknown-field",
    "unknown-key-type": "invalid-value",
    "unknown-starttls": "invalid-value",
    "unknown-tls-version": "invalid-value",
    "unsorted-addresses": "not-sorted",
    "unsorted-anchors": "not-sorted",
    "unsorted-certificates": "not-sorted",
    "unsorted-shards": "not-sorted",
    "unsorted-targets": "not-sorted",
    "unsorted-visits": "not-sorted",
    "unused-certificate": "contradiction",
    "visit-with-neither": "contradiction",
  ]
}
