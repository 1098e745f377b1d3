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
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors/keysets")
    let bytes = Array(try Data(contentsOf: folder.appendingPathComponent("keyset-loading-\(vector).json")))
    var code: KeysetError.Code?
    do throws(KeysetError) {
      _ = try TrustedKeyset.load(shipped: bytes, requiredAudience: nil)
    } catch {
      code = error.code
    }
    #expect(code == expected)
  }
}
