import OpenSSLKit
import Testing

@Suite struct DigestTests {
  /// Message and digest of FIPS 180-4's examples.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func knownDigest(_ message: String, _ expected: String) throws {
    let bytes = Array(message.utf8)
    #expect(hex(try SHA256.digest(of: bytes)) == expected)
    #expect(hex(try SHA256.digest(of: [0] + bytes + [0], in: 1..<(bytes.count + 1))) == expected)
  }

  /// Digests side by side don't disturb each other.
  @Test func manyThreads() async throws {
    let expected = try (0..<64).map { hex(try SHA256.digest(of: message($0))) }
    #expect(Set(expected).count == 64)
    let found = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<640 {
        group.addTask { (number % 64, hex(try SHA256.digest(of: message(number % 64)))) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.count == 640)
    #expect(found.allSatisfy { expected[$0.0] == $0.1 })
  }
}

private func message(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number), count: 1_000 * number) }

func hex(_ value: SHA256.Value) -> String {
  value.indices.map { index in
    let digits = String(value[index], radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}
