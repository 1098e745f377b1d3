import Foundation
import PinFormat
import Testing

/// The files in Tests/Fixtures/manifests, which Scripts/make-manifest-fixtures wrote; Scripts/check-schemas holds the
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

  private func tables(_ bytes: [UInt8]) throws -> (ManifestEnvelope, ManifestTables) {
    let envelope = try ManifestEnvelope(scanning: bytes)
    return (envelope, try ManifestReader.read(bytes, signed: envelope.signed))
  }

  @Test("All fixtures are there")
  func counts() {
    #expect(Self.names("valid") == ["empty.json", "everything.json", "example.json"])
    #expect(Self.names("invalid").count >= 47)
  }

  @Test("Valid files are accepted, and are the bytes that would be written", arguments: names("valid"))
  func valid(name: String) throws {
    let bytes = try read("valid", name)
    let (envelope, tables) = try tables(bytes)
    let signed = Manifest(tables).signedBytes()
    #expect(String(decoding: signed, as: UTF8.self) == String(decoding: bytes[envelope.signed], as: UTF8.self))
    #expect(ManifestEnvelope.encode(signed: signed, signatures: envelope.signatures) == bytes)
  }

  @Test("Invalid files are refused, with a place in the file", arguments: names("invalid"))
  func invalid(name: String) throws {
    let bytes = try read("invalid", name)
    let error = #expect(throws: FormatError.self) { try tables(bytes) }
    #expect(error.map { $0.offset > 0 && $0.offset <= bytes.count && !$0.message.isEmpty } == true)
  }
}
