import OpenSSLKit
import PinFormat

/// The output of a program that was asked to sign: a signature is found in it by verifying.
struct SignatureAnswer {
  /// What it wrote.
  let output: [UInt8]
  /// What it was asked to sign.
  let message: [UInt8]
  /// The keys that it may have signed with.
  let candidates: [Signer.Key]

  /// The one signature that the output stands for.
  ///
  /// It is 64 bytes for Ed25519; for ECDSA P-256 it is DER, or r and s of 32 bytes each. It stands for itself, or is
  /// written in Base64 or hexadecimal digits.
  ///
  /// - Returns: A signature in the form of the file format, which fits the message.
  /// - Throws: ``SignerFailure`` where none fits, or more than one.
  func signature() throws(SignerFailure) -> SignatureEnvelope.Signature {
    var fitting: [SignatureEnvelope.Signature] = []
    for candidate in candidates {
      let key = try read(candidate)
      for form in forms(of: key) where try accepts(form, key) {
        let signature = SignatureEnvelope.Signature(keyID: candidate.id, bytes: form)
        if !fitting.contains(signature) { fitting.append(signature) }
      }
    }
    guard let signature = fitting.first else { throw SignatureGuess(self).failure() }
    guard fitting.count == 1 else {
      throw SignerFailure("the answer can be read as several signatures, which is never by chance")
    }
    return signature
  }

  /// What the output may be as a signature of a key, in the form of the file format.
  func forms(of key: PublicKey) -> [[UInt8]] {
    let readings = SignatureText.readings(of: output)
    guard case .ec = key.algorithm else { return readings }
    return readings + readings.compactMap(ECDSANumbers.der)
  }

  func read(_ candidate: Signer.Key) throws(SignerFailure) -> PublicKey {
    do { return try PublicKey(subjectPublicKeyInfo: candidate.publicKey) } catch { throw SignerFailure(error.message) }
  }

  private func accepts(_ signature: [UInt8], _ key: PublicKey) throws(SignerFailure) -> Bool {
    do { return try key.isValid(signature: signature, for: message) } catch { throw SignerFailure(error.message) }
  }
}

extension Signer {
  /// Somebody whose private key stays where it is: a function that asks for a signature.
  ///
  /// - Parameters:
  ///   - candidates: The keys that it may sign with, at least one, each once.
  ///   - ask: Answers with the signature as it comes, whose form and key are found out by verifying.
  package init(
    candidates: [Key], ask: @escaping @Sendable (_ message: [UInt8]) throws(SignerFailure) -> [UInt8]
  ) {
    self.init(keys: candidates) { (message) throws(SignerFailure) in
      try SignatureAnswer(output: try ask(message), message: message, candidates: candidates).signature()
    }
  }
}

/// What a program that signs may have meant by its output: a signature as it is, or written as text.
enum SignatureText {
  /// Each way to read it, in no order: which one is meant is known from what verifies.
  static func readings(of output: [UInt8]) -> [[UInt8]] {
    var readings = [output]
    // Command-line tools of key services print Base64 in either alphabet, padded or not.
    for other in [hex(output), Base64.decode(withoutSpace(output), accepting: .tools)] {
      if let other, !other.isEmpty, !readings.contains(other) { readings.append(other) }
    }
    return readings
  }

  /// Hexadecimal digits of either case, with white space around them, or between them where lines were broken.
  private static func hex(_ text: [UInt8]) -> [UInt8]? {
    let digits = withoutSpace(text).map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 }
    return Hex.decode(digits)
  }

  private static func withoutSpace(_ text: [UInt8]) -> [UInt8] {
    text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }
}

/// The two numbers of an ECDSA P-256 signature as PKCS #11 gives them: r and then s, 32 bytes each, big-endian.
enum ECDSANumbers {
  /// The same signature in DER (RFC 3279 section 2.2.3); nil where it isn't 64 bytes long.
  static func der(_ numbers: [UInt8]) -> [UInt8]? {
    guard numbers.count == 64 else { return nil }
    let content = integer(numbers.prefix(32)) + integer(numbers.suffix(32))
    return [0x30, UInt8(content.count)] + content
  }

  private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
    // DER has no leading zero bytes, except one that keeps the number positive, and the number 0.
    let digits = number.drop { $0 == 0 }
    guard let first = digits.first else { return [0x02, 1, 0] }
    let padding: [UInt8] = first < 0x80 ? [] : [0]
    return [0x02, UInt8(padding.count + digits.count)] + padding + digits
  }
}
