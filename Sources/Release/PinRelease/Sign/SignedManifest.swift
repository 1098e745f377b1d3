import OpenSSLKit
package import PinFormat
package import PinValidator

/// A manifest file: the signed bytes and their signatures.
package struct SignedManifest: Sendable {
  /// The canonical bytes of the whole file.
  package let bytes: [UInt8]
  /// Those who signed it, in the order of the file.
  package let signatures: [SignatureEnvelope.Signature]
  /// The keys that signed now, in the order of those who signed.
  package let added: [SHA256Digest]

  /// Encodes a manifest and signs it.
  ///
  /// - Parameters:
  ///   - manifest: What to say.
  ///   - signers: Who signs; a signer that is twice signs once. Without any the file is a draft.
  /// - Returns: The file.
  /// - Throws: ``SigningError`` where a signer can't sign, or the manifest is over a limit of the format or larger than
  ///   clients load: what no validator would read isn't signed.
  package static func sign(_ manifest: Manifest, with signers: [Signer]) throws(SigningError) -> SignedManifest {
    let signed = manifest.signedBytes()
    // Half of it is for signatures; what else a release adds is in these bytes already.
    let limit = FormatLimits.clientFileBytes - FormatLimits.releaseBytes / 2
    guard signed.count <= limit else { throw .tooLarge(bytes: signed.count, limit: limit) }
    do {
      _ = try ManifestReader.read(signed, signed: signed.startIndex..<signed.endIndex)
    } catch {
      throw .overLimit(error)
    }
    return try SignedManifest(signed: signed, signatures: [], adding: signers)
  }

  /// Adds signatures to a draft, or to a file that others have signed.
  ///
  /// What is there stays as it is, also a signature of somebody who signs again: so it doesn't matter in which order
  /// people sign, or how often.
  ///
  /// - Parameters:
  ///   - signers: Who signs.
  ///   - file: The file as it is.
  /// - Returns: The file with the further signatures; its signed bytes are untouched.
  /// - Throws: ``SigningError`` where the file isn't a manifest, a signer can't sign, or a signature of one of them is
  ///   there and doesn't verify.
  package static func add(_ signers: [Signer], to file: [UInt8]) throws(SigningError) -> SignedManifest {
    // Checked first: only a manifest may be signed, whatever the file looks like.
    let (envelope, _) = try read(file)
    return try SignedManifest(
      signed: Array(file[envelope.signed]), signatures: envelope.signatures, adding: signers)
  }

  /// What a file says, no matter who signed it: for people who look at it, and decide nothing by it.
  ///
  /// - Parameter file: The whole file.
  /// - Returns: The manifest.
  /// - Throws: ``SigningError`` where the file isn't a manifest in canonical form.
  package static func unverifiedContent(of file: [UInt8]) throws(SigningError) -> Manifest {
    try Manifest(read(file).tables)
  }

  /// Whose signatures a file bears, verified or not.
  ///
  /// - Parameter file: The whole file.
  /// - Returns: The signing keys, in the order of the file.
  /// - Throws: ``SigningError`` where the file isn't a manifest in canonical form.
  package static func keyIDs(of file: [UInt8]) throws(SigningError) -> [SHA256Digest] {
    try read(file).envelope.signatures.map(\.keyID)
  }

  /// Reads a file that may be a draft.
  static func read(
    _ file: [UInt8]
  ) throws(SigningError) -> (envelope: SignatureEnvelope, tables: ManifestTables) {
    do {
      let envelope = try SignatureEnvelope(draft: file, as: .manifest)
      return (envelope, try ManifestReader.read(file, signed: envelope.signed))
    } catch {
      throw isKeyset(file) ? .isKeyset : .notAManifest(error)
    }
  }

  /// True for the other kind of file that people sign, which is easily mistaken for a manifest.
  private static func isKeyset(_ file: [UInt8]) -> Bool {
    guard file.count <= FormatLimits.keysetBytes,
      let envelope = try? SignatureEnvelope(draft: file, as: .keyset)
    else { return false }
    return (try? KeysetReader.read(file, signed: envelope.signed)) != nil
  }

  private init(
    signed: [UInt8], signatures: [SignatureEnvelope.Signature], adding signers: [Signer]
  ) throws(SigningError) {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed)
    let made: [SignatureEnvelope.Signature]
    do { made = try signers.signatures(over: message) } catch { throw .failed(error) }
    added = made.map(\.keyID)
    let keys = signers.flatMap(\.keys)
    for signature in signatures where added.contains(signature.keyID) {
      guard try keys.hasSigned(message, signature) else { throw .invalidSignature(signature.keyID) }
    }
    let present = Set(signatures.map(\.keyID))
    let all = signatures + made.filter { !present.contains($0.keyID) }
    guard all.count <= FormatLimits.signatures else { throw .tooManySignatures }
    self.signatures = all.sorted { $0.keyID < $1.keyID }
    bytes = SignatureEnvelope.encode(signed: signed, signatures: self.signatures)
  }
}

extension [Signer.Key] {
  /// Whether one of the keys made a signature.
  func hasSigned(_ message: [UInt8], _ signature: SignatureEnvelope.Signature) throws(SigningError) -> Bool {
    guard let key = first(where: { $0.id == signature.keyID }) else { return false }
    do {
      return try PublicKey(subjectPublicKeyInfo: key.publicKey).isValid(signature: signature.bytes, for: message)
    } catch {
      throw .failed(SignerFailure(error.message))
    }
  }
}

/// Why a file could not be signed.
package enum SigningError: Error, Sendable {
  /// The file isn't a manifest in canonical form.
  case notAManifest(FormatError)
  /// The file is a keyset.
  case isKeyset
  /// The manifest can't be read back: it holds more of something than the format allows.
  case overLimit(FormatError)
  /// The manifest has more bytes than clients load.
  case tooLarge(bytes: Int, limit: Int)
  /// No client would read it, though it is a manifest.
  case unreadable(ManifestError)
  /// There would be more signatures than the format allows.
  case tooManySignatures
  /// A signature of a known key is there that doesn't fit the signed bytes.
  case invalidSignature(SHA256Digest)
  /// A signer could not sign.
  case failed(SignerFailure)

  /// What is wrong.
  package var message: String {
    switch self {
    case .notAManifest(let error): "the file is not a manifest: \(error.description)"
    case .isKeyset: "the file is a keyset, not a manifest"
    case .overLimit(let error): "it is over a limit of the manifest format: \(error.description)"
    case .tooLarge(let bytes, let limit): "it has \(bytes) bytes; the limit is \(limit)"
    case .unreadable(let error): "no client would read it: \(error.message) [\(error.code)]"
    case .tooManySignatures: "it would have more than \(FormatLimits.signatures) signatures"
    case .invalidSignature(let key):
      "the signature of the key \(key.hex) doesn't fit the signed bytes: one of them was changed"
    case .failed(let error): error.message
    }
  }

  /// Whether the file is the other kind of file that people sign.
  package var isOfKeyset: Bool {
    if case .isKeyset = self { true } else { false }
  }

  /// What to do about it, where somebody knows.
  package var help: String? {
    switch self {
    case .failed(let error): error.help
    case .invalidSignature: "Ask for the file again, where it was built or signed last."
    case .tooManySignatures: "Begin again with the draft, and have only those sign it whose signatures count."
    case .notAManifest:
      "If it is one, it was changed after it was written: cut off, edited, or reformatted as 'jq' does. Get the original: "
        + "every byte counts."
    case .isKeyset, .overLimit, .tooLarge, .unreadable: nil
    }
  }
}
