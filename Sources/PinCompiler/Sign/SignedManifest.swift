package import PinFormat

/// A manifest file: the signed bytes and their signatures.
package struct SignedManifest: Sendable {
  /// The canonical bytes of the whole file.
  package let bytes: [UInt8]
  /// Those who signed it, in the order of the file.
  package let signatures: [SignatureEnvelope.Signature]
  /// The keys whose signatures are new, in the order of those who signed.
  package let added: [SHA256Digest]

  /// Encodes a manifest and signs it.
  ///
  /// - Parameters:
  ///   - manifest: What to say.
  ///   - signers: Who signs; a signer that stands twice signs once.
  /// - Returns: The file.
  /// - Throws: ``SigningError`` where a signer can't sign, or the manifest is over a limit of the format: what no
  ///   validator would read isn't signed.
  package static func sign(_ manifest: Manifest, with signers: [Signer]) throws(SigningError) -> SignedManifest {
    let signed = manifest.signedBytes()
    do {
      _ = try ManifestReader.read(signed, signed: signed.startIndex..<signed.endIndex)
    } catch {
      throw .overLimit(error)
    }
    return try SignedManifest(signed: signed, signatures: [], adding: signers)
  }

  /// Adds signatures to a file that others may have signed; a signer's older signature is replaced.
  ///
  /// - Parameters:
  ///   - signers: Who signs.
  ///   - file: The file as it is.
  /// - Returns: The file with the further signatures; its signed bytes are untouched.
  /// - Throws: ``SigningError`` where the file isn't a manifest or a signer can't sign.
  package static func add(_ signers: [Signer], to file: [UInt8]) throws(SigningError) -> SignedManifest {
    // Nobody signs bytes that aren't a manifest, whatever stands around them.
    let (envelope, _) = try read(file)
    return try SignedManifest(
      signed: Array(file[envelope.signed]), signatures: envelope.signatures, adding: signers)
  }

  /// What a file says, whoever signed it: for people who look at it, and decide nothing by it.
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

  private static func read(
    _ file: [UInt8]
  ) throws(SigningError) -> (envelope: SignatureEnvelope, tables: ManifestTables) {
    do {
      let envelope = try SignatureEnvelope(scanning: file)
      return (envelope, try ManifestReader.read(file, signed: envelope.signed))
    } catch {
      throw .notAManifest(error)
    }
  }

  private init(
    signed: [UInt8], signatures: [SignatureEnvelope.Signature], adding signers: [Signer]
  ) throws(SigningError) {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed)
    var byKey: [SHA256Digest: [UInt8]] = [:]
    for signature in signatures { byKey[signature.keyID] = signature.bytes }
    do {
      let made = try signers.signatures(over: message)
      for signature in made { byKey[signature.keyID] = signature.bytes }
      added = made.map(\.keyID)
    } catch {
      throw .failed(error)
    }
    let all = byKey.map { SignatureEnvelope.Signature(keyID: $0.key, bytes: $0.value) }
    self.signatures = all.sorted { $0.keyID < $1.keyID }
    bytes = SignatureEnvelope.encode(signed: signed, signatures: self.signatures)
  }
}

/// Why a file could not be signed.
package enum SigningError: Error, Sendable {
  /// The file isn't a manifest in canonical form.
  case notAManifest(FormatError)
  /// The manifest can't be read back: it holds more of something than the format allows.
  case overLimit(FormatError)
  /// A signer could not sign.
  case failed(SignerFailure)

  /// What is wrong.
  package var message: String {
    switch self {
    case .notAManifest(let error): "the file is no manifest: \(error.description)"
    case .overLimit(let error): "it is over a limit of the manifest format: \(error.description)"
    case .failed(let error): error.message
    }
  }

  /// What to do about it, where somebody knows.
  package var help: String? {
    if case .failed(let error) = self { error.help } else { nil }
  }
}
