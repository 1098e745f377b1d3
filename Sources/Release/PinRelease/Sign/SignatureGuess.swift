import Diagnostics
import OpenSSLKit
import PinFormat

/// Why an answer isn't a signature of the candidates: what came, and the mistake that explains it.
struct SignatureGuess {
  private let answer: SignatureAnswer

  init(_ answer: SignatureAnswer) {
    self.answer = answer
  }

  func failure() -> SignerFailure {
    let keys = answer.candidates.map { "\($0.id.hex) (\(title(of: $0)))" }
    let whose = keys.count == 1 ? "the key \(keys[0])" : "any of the keys " + keys.joined(separator: ", ")
    return SignerFailure("the command did not return a valid signature by \(whose): \(arrival)", help: explanation)
  }

  private func title(of candidate: Signer.Key) -> String {
    (try? answer.read(candidate))?.algorithm.title ?? "of an unknown kind"
  }

  /// What came: never the bytes themselves, since nobody knows what they are.
  private var arrival: String {
    let output = answer.output
    guard !output.isEmpty else { return "nothing" }
    var text = counted(output.count, "byte")
    let decoded = SignatureText.readings(of: output).dropFirst().map { "\($0.count)" }
    if !decoded.isEmpty { text += ", as text of " + decoded.joined(separator: " or ") }
    return text
  }

  private var explanation: String {
    if answer.output.isEmpty { return "Have the command write the signature to its standard output." }
    if let mistake = provenMistake { return mistake }
    if let shape = mistakenShape { return shape }
    return "It may be of another key: name its public key with --public-key. Or other bytes were signed: those to sign "
      + "are on the command's standard input, to the last byte."
  }

  /// The mistakes that a signature itself gives away, by verifying as something else.
  private var provenMistake: String? {
    guard let digest = try? SHA256.digest(of: answer.message) else { return nil }
    let bytes = digest.span.withUnsafeBufferPointer { Array($0) }
    for candidate in answer.candidates {
      guard let key = try? answer.read(candidate) else { continue }
      for form in answer.forms(of: key) {
        if let mistake = mistake(of: form, by: key, bytes) { return mistake }
      }
    }
    return nil
  }

  private func mistake(of form: [UInt8], by key: PublicKey, _ digest: [UInt8]) -> String? {
    let message = answer.message
    if (try? key.isValid(signature: form, for: [])) == true {
      return "It is a signature of nothing: the bytes to sign are on the command's standard input."
    }
    if case .ed25519 = key.algorithm {
      let digests = [digest, Array(Hex.encode(digest).utf8)]
      let isOfDigest = digests.contains { (try? key.isValid(signature: form, for: $0)) == true }
      return isOfDigest ? "The SHA-256 digest was signed: Ed25519 is given the bytes themselves." : nil
    }
    if (try? key.isValid(signature: form, for: digest)) == true {
      return "The digest was hashed once more: sign the bytes with a mechanism that hashes, or their SHA-256 digest "
        + "with one that doesn't."
    }
    if key.isValid(signature: form, forDigest: Array(message.prefix(32))) {
      return "The bytes were signed without being hashed: hand over their SHA-256 digest, or take a mechanism that "
        + "hashes."
    }
    let others = ["SHA1", "SHA384", "SHA512"].filter { key.isValid(signature: form, for: message, hashedBy: $0) }
    return others.first.map { "The bytes were hashed with \($0); ECDSA P-256 signs their SHA-256 digest here." }
  }

  /// The mistakes that length and first bytes give away.
  private var mistakenShape: String? {
    let output = answer.output
    // A raw signature may begin with any byte.
    let isText = String(validating: output, as: UTF8.self) != nil
    if isText, output.starts(with: "{".utf8) || output.starts(with: "[".utf8) {
      return "It looks like JSON: have the command write the signature alone, such as with --query and --output text."
    }
    if output.starts(with: "-----BEGIN ".utf8) {
      return "It is PEM: have the command write the bytes of the signature."
    }
    let readings = SignatureText.readings(of: output)
    if readings.contains(where: { $0.count > 72 }), readings.allSatisfy({ $0.count > 72 }) {
      return "That is too long for Ed25519 or ECDSA P-256: the key may be of another kind, such as RSA or P-384."
    }
    if readings.contains(where: { $0.count == 32 }) { return "It has a digest's length: have the command sign it." }
    if readings.allSatisfy({ $0.count < 64 && $0.first != 0x30 }) {
      return "That is too short for a signature: it may have been cut."
    }
    let truncated = readings.contains {
      $0.count >= 8 && $0.count != 64 && $0[0] == 0x30 && $0.count < Int($0[1]) + 2
    }
    return truncated ? "It begins like DER and is too short: it may have been cut." : nil
  }
}
