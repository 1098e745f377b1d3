import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import Testing

/// What programs that sign answer with, and what is made of it.
struct SignatureAnswerTests {
  private static let message = SignatureEnvelope.preAuthenticationEncoding(of: Array(#"{"a":1}"#.utf8))

  /// A key and its name.
  private struct Party {
    let privateKey: PrivateKeyOwner
    let key: Signer.Key

    init(_ algorithm: SigningAlgorithm) throws {
      privateKey = PrivateKeyOwner(try PrivateKey(generating: algorithm))
      key = try Signer.Key(publicKey: try privateKey.value.subjectPublicKeyInfo())
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] { try privateKey.value.sign(message) }
  }

  private static func ask(
    _ output: [UInt8], of candidates: [Signer.Key], for message: [UInt8] = message
  ) throws(SignerFailure) -> SignatureEnvelope.Signature {
    try Signer(candidates: candidates) { (_) throws(SignerFailure) in output }.sign(message)
  }

  /// How commands print bytes.
  private static let texts: [(name: String, print: @Sendable ([UInt8]) -> [UInt8])] = [
    ("as they are", { $0 }),
    ("Base64", { Array(Base64.encode($0).utf8) }),
    ("Base64 with a line break", { Array((Base64.encode($0) + "\n").utf8) }),
    ("Base64 in lines of 64", { broken(Base64.encode($0), at: 64) }),
    ("Base64 in lines of 76 with carriage returns", { broken(Base64.encode($0), at: 76, by: "\r\n") }),
    ("Base64 without padding", { Array(Base64.encode($0).filter { $0 != "=" }.utf8) }),
    (
      "Base64 for URLs",
      {
        let text = Base64.encode($0).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return Array((String(text.filter { $0 != "=" }) + "\n").utf8)
      }
    ),
    ("hexadecimal", { Array((Hex.encode($0) + "\n").utf8) }),
    ("hexadecimal in capitals and lines of 60", { broken(Hex.encode($0).uppercased(), at: 60) }),
  ]

  private static func broken(_ text: String, at width: Int, by end: String = "\n") -> [UInt8] {
    var lines = ""
    for (index, character) in text.enumerated() {
      if index > 0, index % width == 0 { lines += end }
      lines.append(character)
    }
    return Array((lines + end).utf8)
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .ecdsaP256], texts.indices)
  func readsSignatures(_ algorithm: SigningAlgorithm, _ text: Int) throws {
    let (party, others) = (try Party(algorithm), [try Party(.ed25519).key, try Party(.ecdsaP256).key])
    for _ in 0..<8 {
      let signature = try party.sign(Self.message)
      let expected = SignatureEnvelope.Signature(keyID: party.key.id, bytes: signature)
      let print = Self.texts[text].print
      #expect(try Self.ask(print(signature), of: others + [party.key]) == expected)
      guard algorithm == .ecdsaP256 else { continue }
      // r and s as in PKCS #11.
      #expect(try Self.ask(print(numbers(signature)), of: others + [party.key]) == expected)
    }
  }

  /// Numbers with leading zeroes lose them in DER, and get one where they would be negative.
  @Test func theTwoNumbersKeepTheirValues() throws {
    let party = try Party(.ecdsaP256)
    var lengths: Set<Int> = []
    for index in 0..<1_500 {
      let message = Array("\(index)".utf8)
      let signature = try party.sign(message)
      lengths.insert(signature.count)
      #expect(try Self.ask(numbers(signature), of: [party.key], for: message).bytes == signature)
    }
    #expect(lengths.count > 2, "\(lengths)")
  }

  @Test func aSignatureOfSomebodyElseIsNone() throws {
    let (party, other) = (try Party(.ed25519), try Party(.ed25519))
    let failure = #expect(throws: SignerFailure.self) {
      try Self.ask(try party.sign(Self.message), of: [other.key])
    }
    #expect(
      failure?.message
        == "the command did not return a valid signature by the key \(other.key.id.hex) (Ed25519): 64 bytes")
    #expect(failure?.help?.hasPrefix("It may be of another key: name its public key with --public-key.") == true)
  }

  @Test func theErrorNamesAllCandidates() throws {
    let keys = [try Party(.ed25519).key, try Party(.ecdsaP256).key]
    let failure = #expect(throws: SignerFailure.self) { try Self.ask(Array("nope\n".utf8), of: keys) }
    #expect(
      failure?.message
        == "the command did not return a valid signature by any of the keys \(keys[0].id.hex) (Ed25519), "
        + "\(keys[1].id.hex) (EC P-256): 5 bytes, as text of 3")
    #expect(failure?.help == "That is too short for a signature: it may have been cut.")
  }

  /// Mistakes, made on purpose, and the beginning of the message for each.
  @Test func mistakesAreRecognised() throws {
    let (ed25519, p256) = (try Party(.ed25519), try Party(.ecdsaP256))
    let digest = try SHA256.digest(of: Self.message)
    let digestBytes = digest.span.withUnsafeBufferPointer { Array($0) }
    let signature = try p256.sign(Self.message)
    let cases: [(output: [UInt8], help: String)] = [
      ([], "Have the command write the signature to its standard output."),
      (try ed25519.sign(digestBytes), "The SHA-256 digest was signed"),
      (try ed25519.sign(Array(Hex.encode(digestBytes).utf8)), "The SHA-256 digest was signed"),
      (try ed25519.sign([]), "It is a signature of nothing"),
      (try p256.sign([]), "It is a signature of nothing"),
      (try p256.sign(digestBytes), "The digest was hashed once more"),
      (numbers(try p256.sign(digestBytes)), "The digest was hashed once more"),
      (Array(Base64.encode(try p256.sign(digestBytes)).utf8), "The digest was hashed once more"),
      (digestBytes, "It has a digest's length"),
      (Array(signature.dropLast(20)), "It begins like DER and is too short"),
      (Array(signature.prefix(5)), "It may be of another key"),
      ([UInt8](repeating: 7, count: 40), "That is too short"),
      ([UInt8](repeating: 7, count: 256), "That is too long"),
      (Array(#"{"Signature":"MEUC"}"#.utf8), "It looks like JSON"),
      (Array("-----BEGIN SIGNATURE-----\n".utf8), "It is PEM"),
      ([UInt8](repeating: 7, count: 64), "It may be of another key"),
      // A raw signature may begin with any byte.
      (Array("{".utf8) + [UInt8](repeating: 0xFF, count: 63), "It may be of another key"),
      ([0x30, 0xF0] + [UInt8](repeating: 7, count: 62), "It may be of another key"),
    ]
    for (output, help) in cases {
      let failure = #expect(throws: SignerFailure.self) { try Self.ask(output, of: [ed25519.key, p256.key]) }
      #expect(failure?.help?.hasPrefix(help) == true, "\(output.count) bytes: \(failure?.help ?? "nothing")")
    }
  }

  /// Nothing is repeated of what came: nobody knows what it is.
  @Test func theAnswerIsNotShown() throws {
    let key = try Party(.ed25519).key
    let failure = #expect(throws: SignerFailure.self) { try Self.ask(Array("PIN 123456".utf8), of: [key]) }
    #expect(failure?.message.contains("123456") == false && failure?.help?.contains("123456") == false)
  }

  @Test func twoSignersOfOneKeyAreOneTooMany() throws {
    let (party, other) = (try Party(.ed25519), try Party(.ed25519))
    let signature = try party.sign(Self.message)
    let signer = Signer(candidates: [party.key, other.key]) { (_) throws(SignerFailure) in signature }
    #expect(throws: SignerFailure.self) { try [signer, signer].signatures(over: Self.message) }
    let known = Signer(candidates: [party.key]) { (_) throws(SignerFailure) in signature }
    #expect(try [known, known].signatures(over: Self.message).count == 1)
  }

  @Test func aKeyInAnotherFormIsNoCandidate() throws {
    let compressed = try Party(.ecdsaP256).privateKey.value.publicKey().subjectPublicKeyInfo.prefix(26) + [3]
    #expect(throws: CryptoError.self) { try Signer.Key(publicKey: Array(compressed)) }
  }
}

/// r and s of a signature in DER, 32 bytes each.
private func numbers(_ der: [UInt8]) -> [UInt8] {
  let first = Int(der[3])
  return [der[4..<(4 + first)], der[(6 + first)...]].flatMap { number in
    let digits = Array(number.drop { $0 == 0 })
    return [UInt8](repeating: 0, count: 32 - digits.count) + digits
  }
}

private final class PrivateKeyOwner {
  let value: PrivateKey
  init(_ value: consuming PrivateKey) { self.value = value }
}
