import Foundation
import PinFormat
import TestSupport
import Testing

@testable import PinPolicy

/// Placeholders that people write, and pins of real keys.
@Suite struct PlaceholderTests {
  private static func lines(_ name: String) throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/placeholders")
    return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// The message for a text in place of a pin: in Base64 or in hexadecimal digits.
  private static func description(of text: String) -> String? {
    if text.utf8.count == 64, let digest = Hex.decode(text.utf8).flatMap({ SHA256Digest($0) }) {
      return BadPins.description(of: Pin(digest))
    }
    // Like importers, this ignores the unused bits of the last character.
    if let bytes = Base64.decode(Array((text.dropLast() + "A").utf8)), let digest = SHA256Digest(bytes.prefix(32)) {
      return BadPins.description(of: Pin(digest))
    }
    return PlaceholderText.description(ofOther: text)
  }

  /// Of 50 that were written before the recogniser, and that it isn't tuned to: docs/policy.md says the number.
  @Test func ofFiftyPlaceholders() throws {
    let texts = try Self.lines("written-by-people.txt")
    #expect(texts.count == 50)
    let missed = texts.filter { Self.description(of: $0) == nil }
    // SHA-256 of the text "test": the digest doesn't show that.
    #expect(missed == ["n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="])
  }

  @Test func noPinOfAPublicCA() throws {
    let texts = try Self.lines("pins-of-public-cas.txt")
    #expect(texts.count == 160)
    for text in texts { #expect(BadPins.description(of: try Pin("sha256/" + text)) == nil, "\(text)") }
  }

  /// The share of all pins that is called bad, from above: that of each part of ``BadPins`` and ``PlaceholderText``.
  @Test func shareOfRandomPins() {
    // Kraft's inequality: a code with distinguishable tokens has at most 2^n texts of n bits.
    #expect(PlaceholderText.Cost.kraftSum(characterBits: 6) <= 1)
    #expect(PlaceholderText.Cost.kraftSum(characterBits: 4) <= 1)
    #expect(PlaceholderWords.all.count <= 256 && Set(PlaceholderWords.all).count == PlaceholderWords.all.count)
    func powerOfTwo(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
    let spellings = 2 * powerOfTwo(-PlaceholderText.savedBits)
    let repetitions = (1...8).reduce(0) { $0 + powerOfTwo(8 * ($1 - 32)) }
    let rows = 2 * 256 * powerOfTwo(-256)
    let printable = (0..<32).reduce(1.0) { share, _ in share * 95 / 256 }
    let share = spellings + repetitions + rows + printable + 3 * powerOfTwo(-256)
    #expect(share < 4.7e-10)
  }

  /// Not a proof, which is above: that nothing is found where nothing is.
  @Test func randomPins() throws {
    var generator = SeededGenerator(seed: 20)
    for _ in 0..<5_000 {
      let digest = try #require(SHA256Digest(generator.bytes(32)))
      #expect(BadPins.description(of: Pin(digest)) == nil)
    }
  }

  @Test(arguments: [
    ("REPLACE_WITH_BASE64_SHA256_OF_SERVER_PUBKEY=", "spells 'REPLACE', 'WITH' and 'BASE64': a placeholder"),
    ("sha256/your-pin-goes-here", "spells 'your', 'pin' and 'goes': a placeholder"),
    // Placeholders from public code; few have the length of a pin.
    ("sha256/PLACEHOLDER_PRIMARY_CERT_HASH_BASE64", "spells 'PLACEHOLDER', 'PRIMARY' and 'CERT': a placeholder"),
    ("sha256/XXXXXXXXXXXX", "follows a pattern: a placeholder"),
  ])
  func words(_ text: String, _ said: String) {
    #expect(PlaceholderText.description(ofOther: text) == said)
  }

  /// Pins that fail otherwise stay what they are: cut off, or in the Base64 of URLs.
  @Test(arguments: [
    "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63", "hxqRlPTu1bMS_0DITB1SSu0vd4u_8l8TjPgfaAp63Gc=", "abcd", "",
  ])
  func noPlaceholder(_ text: String) {
    #expect(PlaceholderText.description(ofOther: text) == nil)
  }
}
