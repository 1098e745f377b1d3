import Foundation
import PinValidator
import Testing

/// A tool that works for any environment leaves the audience out, and nothing else.
@Suite("Keysets of any audience") struct AnyAudienceTests {
  @Test(
    "Everything else is checked as usual",
    arguments: [
      ("audience", nil), ("extension", .unknownExtension), ("audience-before-extension", .unknownExtension),
      ("keys-before-signatures", .unusableSigner), ("roots-one-of-three", .tooFewSignatures),
    ] as [(String, KeysetError.Code?)])
  func load(_ vector: String, _ expected: KeysetError.Code?) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors/keyset-loading.json")
    let theme = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let keysets = try #require(theme?["keysets"] as? [String: [String: String]])
    let bytes = Array(try #require(keysets["keyset-loading-\(vector).json"]?["text"]).utf8)
    var code: KeysetError.Code?
    do throws(KeysetError) {
      _ = try TrustedKeyset.load(shipped: bytes, requiredAudience: nil)
    } catch {
      code = error.code
    }
    #expect(code == expected)
  }
}
