import Foundation
import PinFormat
import Testing

/// The files in Tests/Fixtures/manifests, which Scripts/make/manifest-fixtures wrote; Scripts/check/schemas holds the
/// JSON Schema against the same files.
@Suite("Manifests that another program wrote")
struct ManifestFixtureTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures/manifests").standardized

  private static func names(_ kind: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(kind).path)) ?? []
    return all.filter { $0.hasSuffix(".json") }.sorted()
  }

  private func read(_ kind: String, _ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appendingPathComponent(kind).appendingPathComponent(name)))
  }

  private func tables(_ bytes: [UInt8]) throws -> (SignatureEnvelope, ManifestTables) {
    let envelope = try SignatureEnvelope(scanning: bytes)
    return (envelope, try ManifestReader.read(bytes, signed: envelope.signed))
  }

  @Test("All fixtures are there")
  func counts() {
    #expect(Self.names("valid") == ["empty.json", "everything.json", "example.json"])
    #expect(Set(Self.names("invalid").map { String($0.dropLast(5)) }) == Set(Self.codes.keys))
  }

  @Test("Valid files are accepted, and are the bytes that would be written", arguments: names("valid"))
  func valid(name: String) throws {
    let bytes = try read("valid", name)
    let (envelope, tables) = try tables(bytes)
    let signed = Manifest(tables).signedBytes()
    #expect(String(decoding: signed, as: UTF8.self) == String(decoding: bytes[envelope.signed], as: UTF8.self))
    #expect(tables.signedBytes() == signed)
    #expect(SignatureEnvelope.encode(signed: signed, signatures: envelope.signatures) == bytes)
  }

  @Test("Invalid files are refused for their one mistake, with its place in the file", arguments: names("invalid"))
  func invalid(name: String) throws {
    let bytes = try read("invalid", name)
    let error = #expect(throws: FormatError.self) { try tables(bytes) }
    #expect(error?.code.description == Self.codes[String(name.dropLast(5))])
    #expect(error.map { $0.offset > 0 && $0.offset <= bytes.count && !$0.message.isEmpty } == true)
  }

  /// Why each invalid file is refused.
  private static let codes = [
    "address-in-another-form": "invalid-value",
    "address-with-subdomains": "contradiction",
    "boolean": "not-canonical",
    "date-that-is-none": "invalid-value",
    "date-without-time": "invalid-value",
    "default-written-out": "invalid-value",
    "drastic-change-of-one": "not-canonical",
    "empty-audience": "invalid-value",
    "empty-denial": "invalid-value",
    "empty-drastic-change": "invalid-value",
    "empty-list": "not-canonical",
    "empty-trust": "contradiction",
    "expires-alone": "contradiction",
    "fraction": "not-canonical",
    "host-in-capitals": "invalid-value",
    "host-with-trailing-dot": "invalid-value",
    "instant-with-offset": "invalid-value",
    "key-set-without-keys": "invalid-value",
    "line-break-at-the-end": "trailing-bytes",
    "missing-field": "misplaced-field",
    "needless-escape": "not-canonical",
    "no-signatures": "not-canonical",
    "off-with-keys": "contradiction",
    "other-order": "misplaced-field",
    "other-type": "invalid-value",
    "other-version": "unsupported-version",
    "pin-of-31-bytes": "invalid-value",
    "pin-with-stray-bits": "invalid-value",
    "pinned-without-keys": "missing-field",
    "port-of-zero": "invalid-value",
    "refresh-after-expiry": "contradiction",
    "repeated-field": "misplaced-field",
    "repeated-host": "not-sorted",
    "report-uri-with-space": "invalid-value",
    "serial-as-text": "not-canonical",
    "serial-of-zero": "invalid-value",
    "signature-twice": "not-sorted",
    "space": "not-canonical",
    "system-anchors-of-one": "invalid-value",
    "undefined-certificate": "dangling-reference",
    "undefined-key-set": "dangling-reference",
    "undefined-key": "dangling-reference",
    "undefined-report-uris": "contradiction",
    "unknown-field": "unknown-field",
    "unknown-mode": "invalid-value",
    "unsorted-hosts": "not-sorted",
    "unsorted-keys-of-a-set": "not-sorted",
    "unused-report-uris": "contradiction",
    "zero-for-false": "invalid-value",
  ]
}
