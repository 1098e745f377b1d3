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
