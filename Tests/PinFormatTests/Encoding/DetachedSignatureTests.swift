import Testing

@testable import PinFormat

@Suite("A signature in a file of its own")
struct DetachedSignatureTests {
  private static let a = String(repeating: "a", count: 64)
  private static let b = String(repeating: "b", count: 64)
  private static let good = #"{"keyid":"\#(a)","sig":"AAAA","signed":"\#(b)"}"#

  @Test("is written as it is read, and is small")
  func roundTrip() throws {
    let detached = try DetachedSignature(reading: Array(Self.good.utf8))
    #expect(detached.signature.keyID.hex == Self.a)
    #expect(detached.signature.bytes == [0, 0, 0])
    #expect(detached.digest.hex == Self.b)
    #expect(String(decoding: detached.bytes, as: UTF8.self) == Self.good)
    let longest = SignatureEnvelope.Signature(
      keyID: detached.digest, bytes: [UInt8](repeating: 0xFB, count: FormatLimits.signatureBytes))
    let bytes = DetachedSignature(longest, over: detached.digest).bytes
    #expect(bytes.count <= DetachedSignature.maximumBytes)
    #expect(try DetachedSignature(reading: bytes).bytes == bytes)
  }

  @Test("is read in its one form only")
  func strictness() {
    let others = [
      "", "{}", "[]", "null", good + "\n", " " + good, good + "{}",
      good.replacing(",", with: ", "), good.replacing("AAAA", with: ""), good.replacing("AAAA", with: "AAA"),
      good.replacing("AAAA", with: "AAB="), good.replacing("AAAA", with: "-_-_"), good.replacing("a", with: "A"),
      #"{"keyid":"\#(Self.a)","sig":"AAAA"}"#, #"{"sig":"AAAA","keyid":"\#(Self.a)","signed":"\#(Self.b)"}"#,
      #"{"keyid":"\#(Self.a)","keyid":"\#(Self.a)","sig":"AAAA","signed":"\#(Self.b)"}"#,
      String(good.dropLast()) + #","type":"x"}"#, good.replacing(Self.b, with: String(Self.b.dropLast())),
      good.replacing("AAAA", with: String(repeating: "AAAA", count: 171)),
    ]
    for text in others {
      #expect(throws: FormatError.self, "\(text)") { try DetachedSignature(reading: Array(text.utf8)) }
    }
    // No byte may be missing, and no byte may be another.
    let bytes = Array(Self.good.utf8)
    for count in bytes.indices {
      #expect(throws: FormatError.self) { try DetachedSignature(reading: Array(bytes[..<count])) }
      var changed = bytes
      changed[count] ^= 0x80
      #expect(throws: FormatError.self) { try DetachedSignature(reading: changed) }
    }
  }

  private var good: String { Self.good }
}
