import Glibc
import Testing

@testable import PinFormat

@Suite("Signatures, and where the signed bytes are")
struct SignatureEnvelopeTests {
  private static let a = String(repeating: "a", count: 64)
  private static let b = String(repeating: "b", count: 64)

  private static func signature(_ key: String, _ text: String = "AAAA") -> String {
    #"{"keyid":"\#(key)","sig":"\#(text)"}"#
  }

  private static func file(_ signatures: String..., signed: String = "{}") -> String {
    #"{"signatures":[\#(signatures.joined(separator: ","))],"signed":\#(signed)}"#
  }

  private func scan(_ text: String, as content: SignedContent = .manifest) -> String {
    let bytes = Array(text.utf8)
    do {
      let envelope = try SignatureEnvelope(scanning: bytes, as: content)
      return "\(envelope.signatures.count): " + String(decoding: bytes[envelope.signed], as: UTF8.self)
    } catch {
      return "\(error.code): \(error)"
    }
  }

  @Test(
    "A file is one or more signatures and an object",
    arguments: [
      (file(signature(a)), "1: {}"), (file(signature(a), signature(b)), "2: {}"),
      (file(signature(a), signed: "{7}"), "1: {7}"),
      // What is in the object isn't looked into, but for the brace that ends it.
      (file(signature(a), signed: "{}}"), "1: {}}"),
      (file(), "not-canonical: signatures[1]: expected {, found \"],\"signed\":{}}\" (byte 15)"),
      (
        file(signature(b), signature(a)),
        "not-sorted: signatures[2]: signatures are not sorted by key, or a key signed twice (byte 105)"
      ),
      (
        file(signature(a), signature(a)),
        "not-sorted: signatures[2]: signatures are not sorted by key, or a key signed twice (byte 105)"
      ),
      (file(signature(a, "")), "invalid-value: signatures[1]: a signature can't be \"\"}],\"signed\":{}}\" (byte 98)"),
      (file(signature(a), signed: "{"), "truncated: manifest: \"signed\" holds no object (byte 115)"),
      (file(signature(a), signed: ""), "truncated: manifest: \"signed\" holds no object (byte 115)"),
      (file(signature(a), signed: "[}"), "truncated: manifest: \"signed\" holds no object (byte 115)"),
      (
        file(signature(a)) + "\n",
        "trailing-bytes: manifest: the file does not end with the closing braces of a manifest (byte 118)"
      ),
      (
        file(signature(a), signed: "{7"),
        "trailing-bytes: manifest: the file does not end with the closing braces of a manifest (byte 116)"
      ),
      (
        String(file(signature(a), signed: "{7} ").dropLast()) + "}",
        "trailing-bytes: manifest: the file does not end with the closing braces of a manifest (byte 118)"
      ),
    ])
  func files(text: String, expected: String) {
    #expect(scan(text) == expected)
  }

  @Test("A file has 64 signatures at most, of 512 bytes each")
  func limits() {
    let keys = (1_000..<1_065).map { String($0) + Self.a.dropFirst(4) }
    func file(_ count: Int, _ text: String = "AAAA") -> String {
      #"{"signatures":[\#(keys[..<count].map { Self.signature($0, text) }.joined(separator: ","))],"signed":{}}"#
    }
    #expect(scan(file(64)) == "64: {}")
    #expect(scan(file(65)).hasPrefix("over-limit: signatures[65]: too many signatures"))
    let longest = Base64.encode([UInt8](repeating: 0, count: 512))
    let longer = Base64.encode([UInt8](repeating: 0, count: 513))
    #expect(scan(file(1, longest)) == "1: {}")
    #expect(scan(file(1, longer)).hasPrefix("over-limit: signatures[1]: a signature has more than 512 bytes"))
  }

  @Test("A file without signatures is a draft, which clients reject", arguments: SignedContent.allCases)
  func drafts(content: SignedContent) throws {
    let draft = Array(Self.file().utf8)
    let envelope = try SignatureEnvelope(draft: draft, as: content)
    #expect(envelope.signatures.isEmpty)
    #expect(draft[envelope.signed].elementsEqual("{}".utf8))
    #expect(throws: FormatError.self) { try SignatureEnvelope(scanning: draft, as: content) }
    let signed = Array(Self.file(Self.signature(Self.a)).utf8)
    #expect(try SignatureEnvelope(draft: signed, as: content) == SignatureEnvelope(scanning: signed, as: content))
    #expect(SignatureEnvelope.encode(signed: Array("{}".utf8), signatures: []) == draft)
    #expect(SignatureEnvelope.encode(signed: Array("{}".utf8), signatures: envelope.signatures) == draft)
    let written = try SignatureEnvelope(scanning: signed, as: content).signatures
    #expect(SignatureEnvelope.encode(signed: Array("{}".utf8), signatures: written) == signed)
  }

  @Test("Finds the same in a file that isn't in memory", arguments: [0, 1, 1_000, 73_600, 73_612, 73_613, 200_000])
  func mapped(count: Int) throws {
    // Files of 73,728 bytes and fewer are searched as a whole.
    let good = Self.file(
      Self.signature(Self.a), Self.signature(Self.b), signed: "{\(String(repeating: "7", count: count))}")
    for text in [good, good + "\n", String(good.dropLast(2)) + "7}", String(good.dropLast(2)) + "}7"] {
      let bytes = Array(text.utf8)
      let whole = try? SignatureEnvelope(scanning: bytes)
      let ends = try withNothingBehind(bytes) { try? SignatureEnvelope(mapped: $0) }
      #expect((whole != nil) == (text == good))
      #expect(ends == whole)
    }
  }

  /// Lends bytes whose end is that of the memory: who reads on crashes.
  private func withNothingBehind<Answer>(
    _ bytes: [UInt8], _ body: (UnsafeMutableBufferPointer<UInt8>) -> Answer
  ) throws -> Answer {
    let page = Int(getpagesize())
    let size = (bytes.count + page - 1) / page * page
    let memory = mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    let start = try #require(memory == MAP_FAILED ? nil : memory)
    defer { munmap(start, size + page) }
    #expect(mprotect(start + size, page, PROT_NONE) == 0)
    let lent = UnsafeMutableRawBufferPointer(start: start + size - bytes.count, count: bytes.count)
    lent.copyBytes(from: bytes)
    return body(lent.bindMemory(to: UInt8.self))
  }

  @Test("Signatures may take all the room that is before the signed bytes")
  func longestHead() throws {
    let keys = (1_000..<1_064).map { String($0) + Self.a.dropFirst(4) }
    let longest = Base64.encode([UInt8](repeating: 0, count: 512))
    let head = keys.map { Self.signature($0, longest) }.joined(separator: ",")
    let rest = String(repeating: "7", count: 100_000)
    var bytes = Array(#"{"signatures":[\#(head)],"signed":{\#(rest)}}"#.utf8)
    let whole = try SignatureEnvelope(scanning: bytes)
    let ends = try bytes.withUnsafeMutableBufferPointer { try SignatureEnvelope(mapped: $0) }
    #expect(whole.signatures.count == 64 && ends == whole)
  }

  @Test(
    "What is signed is encoded in front of the signed bytes, where there is room", arguments: SignedContent.allCases)
  func encoding(content: SignedContent) throws {
    for signatures in [[], [Self.signature(Self.a)]] {
      for padding in [0, 8, 98, 998] {
        let signed = "{\(String(repeating: "7", count: padding))}"
        let text = #"{"signatures":[\#(signatures.joined())],"signed":\#(signed)}"#
        let file = Array(text.utf8)
        let envelope = try SignatureEnvelope(draft: file, as: content)
        let expected = SignatureEnvelope.preAuthenticationEncoding(of: Array(signed.utf8), as: content)
        var lent = file
        #expect(envelope.withPreAuthenticationEncoding(in: &lent, as: content) { Array($0[$1]) } == expected)
        #expect(lent == file)
        let before = expected.count - signed.utf8.count
        let over = lent.withUnsafeMutableBufferPointer { bytes in
          envelope.preAuthenticationEncoding(over: bytes, as: content).map { Array($0) }
        }
        #expect(over == (envelope.signed.lowerBound >= before ? expected : nil))
      }
    }
  }
}
