import PinFormat
import TestSupport
import Testing

@Suite("Pins, digests, Base64 and hexadecimal")
struct ValueTests {
  @Test(
    "Base64 has one form",
    arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")])
  func base64(plain: String, encoded: String) {
    #expect(Base64.encode(plain.utf8) == encoded)
    #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
  }

  @Test(
    "Base64 in any other form is refused",
    arguments: [
      "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v\n", " Zm9v", "Zm9-", "Zm_v", "=m9v", "Z===", "====", "Zg==Zg==",
      "Zm8=Zm8=", "Zm=v", "Zm9vZg==Zm9v",
    ])
  func otherBase64(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }

  @Test(
    "Base64 of others is read where it says so, and only in these forms",
    arguments: [
      // The text; whether it is accepted from tools, and whether as a pin.
      ("Zg==", true, true), ("Zg", true, true), ("Zg=", false, true), ("Zg===", false, false), ("Z", false, false),
      ("Z===", false, false), ("Zm8=", true, true), ("Zm8", true, true), ("Zm8==", false, true), ("Zm9v", true, true),
      ("Zm9v=", false, true), ("Zm9v==", false, true), ("Zm9v===", false, false), ("Zh==", false, true),
      ("Zm9", false, true), ("Zm9=", false, true), ("Zm+/", true, true), ("Zm-_", true, false), ("Zm+_", false, false),
      ("Zm-/", false, false), ("Zm-", false, false), ("Zm9v\n", false, false), ("=Zm8", false, false),
      ("Zg==Zg==", false, false), ("Zg==Zg", false, false), ("", true, true), ("=", false, true),
      ("====", false, false),
    ])
  func formsOfBase64(text: String, isOfTools: Bool, isOfPins: Bool) {
    let tools = Base64.decode(text.utf8, accepting: .tools)
    let pins = Base64.decode(text.utf8, accepting: .pins)
    #expect((tools != nil) == isOfTools)
    #expect((pins != nil) == isOfPins)
    // In each form, the same symbols stand for the same bytes.
    if let tools, let pins { #expect(tools == pins) }
    if let strict = Base64.decode(text.utf8) { #expect(tools == strict && pins == strict) }
    #expect(Base64.decode(text.utf8, accepting: []) == Base64.decode(text.utf8))
  }

  @Test("Base64 and hexadecimal invert themselves", arguments: 0..<4)
  func inversion(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in 0..<64 {
      let bytes = random.bytes(count)
      #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
      #expect(Hex.decode(Hex.encode(bytes).utf8) == bytes)
    }
  }

  @Test("Hexadecimal is lower case, in pairs", arguments: ["A0", "0", "0g", "0x"])
  func otherHexadecimal(text: String) {
    #expect(Hex.decode(text.utf8) == nil)
  }

  @Test("A pin says what is wrong with it")
  func pins() throws {
    let text = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    let pin = try Pin(text)
    #expect(pin.description == text)
    #expect(pin.digest.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SHA256Digest(hex: pin.digest.hex.utf8) == pin.digest)
    #expect((0..<32).map { pin.digest[$0] } == pin.digest.bytes)
    for (wrong, error) in [
      ("sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", PinError.notSHA256), ("sha256", .notSHA256),
      ("SHA256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .notSHA256), ("sha256/Zg=", .notBase64),
      ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=", .notBase64), ("sha256/Zg==", .wrongLength(1)),
      ("sha256/", .wrongLength(0)),
    ] {
      #expect(throws: error) { try Pin(wrong) }
    }
  }

  @Test("Only the one Base64 text of 32 bytes is a pin's", arguments: 0..<4)
  func canonicalPinText(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = Array(Base64.encode(random.bytes(32)).utf8)
    func digest(_ text: [UInt8], at offset: Int) -> [UInt8]? { PinText.digest(in: text.span, at: offset)?.bytes }
    #expect(digest([0] + text + [0], at: 1) == Base64.decode(text))
    for offset in [1, -1, Int.min] { #expect(digest(text, at: offset) == nil) }
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[index] = byte
        let bytes = Base64.decode(changed).flatMap { $0.count == 32 ? $0 : nil }
        #expect(digest(changed, at: 0) == bytes, "\(byte) at \(index)")
        let pin = try? Pin("sha256/" + String(decoding: changed, as: UTF8.self))
        #expect(pin?.digest.bytes == bytes, "\(byte) at \(index)")
      }
    }
  }

  @Test("A pin is written in Base64", arguments: 0..<64)
  func writtenPin(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let digest = try #require(SHA256Digest(random.bytes(32)))
    var writer = CanonicalWriter(capacity: 46)
    writer.pin(digest)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(Base64.encode(digest.bytes))\"")
  }

  @Test("Texts are in the order of their bytes", arguments: 0..<16)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func text() -> String { String((0..<random.below(20)).map { _ in random.pick(["a", "b", "é", "日", "\0"]) }) }
    for _ in 0..<500 {
      let start = text()
      let (one, other) = (start + text(), start + text())
      #expect(one.precedes(other) == one.utf8.lexicographicallyPrecedes(other.utf8), "\(one), \(other)")
    }
  }

  @Test("The pre-authentication encoding is the specification's")
  func preAuthenticationEncoding() {
    let encoding = DSSE.preAuthenticationEncoding(
      type: "http://example.com/HelloWorld", body: Array("hello world".utf8))
    #expect(String(decoding: encoding, as: UTF8.self) == "DSSEv1 29 http://example.com/HelloWorld 11 hello world")
  }
}
