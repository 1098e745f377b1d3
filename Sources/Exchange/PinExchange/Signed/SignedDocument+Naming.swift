import OpenSSLKit
package import PinFormat

extension SignedDocument {
  /// A document as a file of Pintle's, each signature under its key.
  package struct Named: Hashable, Sendable {
    /// The whole file, in its one encoding.
    package var file: [UInt8]
    /// Whose signatures are in it, in its order.
    package var keyIDs: [SHA256Digest] = []
    /// Those of ECDSA that came as two bare numbers and are DER now.
    package var converted: [SHA256Digest] = []
    /// How many signatures no given key made and whose names can't be ours: they are left out.
    package var omitted = 0
  }

  /// Finds out whose each signature is, and makes the file.
  ///
  /// Each given key is tried on the signatures that don't name one of them, so that other tools' names of keys, or none,
  /// do no harm. A signature that names a given key must be its own.
  ///
  /// - Parameter keys: SubjectPublicKeyInfo of the keys to try. A keyset brings those of its own roots.
  /// - Returns: The file; signatures that name keys which weren't given are in it unverified, as they may be in any file.
  /// - Throws: ``ExchangeError`` where the signed bytes aren't canonical, nobody signed, or a signature is wrong.
  package func named(byTrying keys: [[UInt8]]) throws(ExchangeError) -> Named {
    try requireCanonical()
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content)
    let (found, omitted) = try Self.owners(of: signatures, over: message, byTrying: keys + ownRoots())
    return Named(
      file: SignatureEnvelope.encode(
        signed: signed,
        signatures: found.map { SignatureEnvelope.Signature(keyID: $0.keyID, bytes: $0.bytes) }),
      keyIDs: found.map(\.keyID), converted: found.filter(\.isConverted).map(\.keyID), omitted: omitted)
  }

  /// Finds out whose each signature over a message is.
  ///
  /// - Returns: One signature of each key, in order of their ids, and how many are left out.
  static func owners(
    of signatures: [Signature], over message: [UInt8], byTrying keys: [[UInt8]]
  ) throws(ExchangeError) -> (found: [Found], omitted: Int) {
    guard !signatures.isEmpty else { throw ExchangeError(.unsigned, "nobody has signed it") }
    var candidates: [Candidate] = []
    for key in keys {
      let candidate = try Candidate(key)
      if !candidates.contains(where: { $0.keyID == candidate.keyID }) { candidates.append(candidate) }
    }
    var omitted = 0
    var found: [SHA256Digest: Found] = [:]
    for (index, signature) in signatures.enumerated() {
      guard let one = try owner(of: signature, number: index + 1, among: candidates, message) else {
        omitted += 1
        continue
      }
      if let other = found[one.keyID], other.bytes != one.bytes {
        // A key counts once. If both signatures are valid, either can be used.
        guard one.isVerified, other.isVerified else {
          throw ExchangeError(.namelessSignature, "two different signatures name the key \(one.keyID.hex)")
        }
        continue
      }
      found[one.keyID] = one
    }
    guard !found.isEmpty else { throw ExchangeError(.unsigned, "none of its signatures is of a key that was given") }
    return (found.values.sorted { $0.keyID < $1.keyID }, omitted)
  }

  /// A signature that has an owner.
  struct Found {
    var keyID: SHA256Digest
    var bytes: [UInt8]
    var isVerified = true
    var isConverted = false
  }

  /// A key that may have signed.
  private struct Candidate {
    let keyID: SHA256Digest
    let key: PublicKey
    let isP256: Bool

    init(_ subjectPublicKeyInfo: [UInt8]) throws(ExchangeError) {
      do throws(CryptoError) {
        key = try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
        isP256 = try SigningAlgorithm(key.algorithm) == .ecdsaP256
        keyID = SHA256Digest(try key.digest())
      } catch {
        throw ExchangeError(.unusableKey, "a given key can't be used: \(error.message)")
      }
    }

    /// The signature in its one form where the key made it, else nil.
    func own(_ signature: [UInt8], of message: [UInt8]) throws(ExchangeError) -> Found? {
      do throws(CryptoError) {
        if try key.isValid(signature: signature, for: message) { return Found(keyID: keyID, bytes: signature) }
        guard isP256, let der = P256Signature.der(fromRaw: signature), try key.isValid(signature: der, for: message)
        else { return nil }
        return Found(keyID: keyID, bytes: der, isConverted: true)
      } catch {
        throw ExchangeError(.cryptography, "libcrypto could not verify: \(error.message)")
      }
    }
  }

  private static func owner(
    of signature: Signature, number: Int, among candidates: [Candidate], _ message: [UInt8]
  ) throws(ExchangeError) -> Found? {
    let claimed = signature.keyID.flatMap { SHA256Digest(hex: $0.utf8) }
    if let claimed, let candidate = candidates.first(where: { $0.keyID == claimed }) {
      guard let own = try candidate.own(signature.bytes, of: message) else {
        throw ExchangeError(
          .invalidSignature,
          "the signature of the key \(claimed.hex) doesn't fit the signed bytes: one of them was changed")
      }
      return own
    }
    for candidate in candidates {
      if let own = try candidate.own(signature.bytes, of: message) { return own }
    }
    if let claimed, signature.bytes.count <= FormatLimits.signatureBytes {
      return Found(keyID: claimed, bytes: signature.bytes, isVerified: false)
    }
    guard candidates.isEmpty else { return nil }
    let name =
      signature.keyID.map { "names the key '\($0.prefix(128))', which is not the SHA-256 of a key" } ?? "names no key"
    throw ExchangeError(.namelessSignature, "signature \(number) \(name)")
  }

  /// The root keys that a keyset names, which have to sign it.
  private func ownRoots() throws(ExchangeError) -> [[UInt8]] {
    guard content == .keyset else { return [] }
    let keyset: Keyset
    do {
      keyset = try KeysetReader.read(signed, signed: signed.startIndex..<signed.endIndex)
    } catch {
      throw ExchangeError(.notCanonical, "the signed content is not a keyset: \(error.description)")
    }
    return keyset.roots.keys.compactMap { keyset.key($0)?.subjectPublicKeyInfo }
  }
}
