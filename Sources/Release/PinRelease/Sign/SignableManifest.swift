import OpenSSLKit
package import PinFormat
package import PinValidator

/// A manifest file that somebody is asked to sign: a draft, or one that others have signed.
///
/// It holds what clients would read, no matter who signed it: the canonical bytes of a manifest, with certificates that
/// are what they are called, and no extension that clients don't know.
package struct SignableManifest: Sendable {
  /// The file as it came.
  package let file: [UInt8]
  /// What it says, as a client would have it.
  package let loaded: LoadedManifest
  /// What it says, for people.
  package let manifest: Manifest
  /// SHA-256 over the bytes that are signed.
  package let digest: SHA256Digest
  /// The signatures that it bears, verified or not.
  package let signatures: [SignatureEnvelope.Signature]
  private let signed: Range<Int>

  /// Reads a file.
  ///
  /// - Throws: ``SigningError`` where it isn't a manifest that clients would read.
  package init(_ file: [UInt8]) throws(SigningError) {
    self.file = file
    let (envelope, _) = try SignedManifest.read(file)
    loaded = try Rehearsal.load(unverified: file)
    manifest = loaded.manifest
    signatures = envelope.signatures
    signed = envelope.signed
    do { digest = SHA256Digest(try SHA256.digest(of: file, in: signed)) } catch {
      throw .failed(SignerFailure(error.message))
    }
  }

  /// The bytes that are signed.
  package var signedBytes: [UInt8] { Array(file[signed]) }

  /// Which of some keys have signed it.
  ///
  /// - Parameter keys: Keys that are known; signatures of others say nothing to anybody.
  /// - Returns: The ids of those that have.
  /// - Throws: ``SigningError/invalidSignature(_:)`` where a signature of one of them doesn't fit the bytes.
  package func signers(among keys: [Signer.Key]) throws(SigningError) -> Set<SHA256Digest> {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: file[signed])
    let ids = Set(keys.map(\.id))
    var found: Set<SHA256Digest> = []
    for signature in signatures where ids.contains(signature.keyID) {
      guard try keys.hasSigned(message, signature) else { throw .invalidSignature(signature.keyID) }
      found.insert(signature.keyID)
    }
    return found
  }

  /// The file with further signatures, which are kept apart from it, of those keys that have signed it.
  ///
  /// A signature of another key, or over other bytes, is left out.
  package func joined(
    with others: [SignatureEnvelope.Signature], of keys: [Signer.Key]
  ) throws(SigningError) -> SignableManifest {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: file[signed])
    var all = signatures
    for signature in others where !all.contains(where: { $0.keyID == signature.keyID }) {
      if try keys.hasSigned(message, signature) { all.append(signature) }
    }
    return try SignableManifest(SignatureEnvelope.encode(signed: Array(file[signed]), signatures: all))
  }

  /// Adds signatures, and looks at the result as a client does that trusts those who signed now.
  ///
  /// - Parameter signers: Who signs.
  /// - Returns: The file with their signatures; everything else in it is as it was.
  /// - Throws: ``SigningError`` where one can't sign, or the result isn't what should be signed.
  package func signed(by signers: [Signer]) throws(SigningError) -> SignedManifest {
    let result = try SignedManifest.add(signers, to: file)
    let keys = signers.flatMap(\.keys).filter { result.added.contains($0.id) }.map(\.publicKey)
    do {
      let trusted = try TrustedSigners(publicKeys: keys, threshold: result.added.count)
      _ = try LoadedManifest.load(result.bytes, signers: trusted, audience: manifest.audience)
      let envelope = try SignatureEnvelope(scanning: result.bytes)
      guard result.bytes[envelope.signed] == file[signed] else {
        throw SigningError.failed(SignerFailure("the signed bytes aren't those that were to be signed"))
      }
    } catch let error as ManifestError {
      throw .unreadable(error)
    } catch let error as SigningError {
      throw error
    } catch {
      throw .failed(SignerFailure(String(describing: error)))
    }
    return result
  }
}
