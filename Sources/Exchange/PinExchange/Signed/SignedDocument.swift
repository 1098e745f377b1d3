import OpenSSLKit
package import PinFormat

/// A signed file on its way from one format to another: what is signed, as what, and the signatures.
///
/// The form that exporters take and importers answer, so that each format knows nothing of the others. The signed bytes
/// are never written again, so the signatures stay what they are.
package struct SignedDocument: Hashable, Sendable {
  /// A signature, and whose it says it is.
  package struct Signature: Hashable, Sendable {
    /// What names the key, which nothing is ever decided by; nil where nothing does.
    package var keyID: String?
    package var bytes: [UInt8]

    package init(keyID: String?, bytes: [UInt8]) {
      self.keyID = keyID
      self.bytes = bytes
    }
  }

  package var content: SignedContent
  package var signed: [UInt8]
  package var signatures: [Signature]

  init(content: SignedContent, signed: [UInt8], signatures: [Signature]) {
    self.content = content
    self.signed = signed
    self.signatures = signatures
  }

  /// Reads a manifest or a keyset, which nobody may have signed yet; no signature is verified.
  ///
  /// - Parameter file: The whole file.
  /// - Throws: ``ExchangeError`` where it is neither in its one encoding.
  package init(file: [UInt8]) throws(ExchangeError) {
    guard let content = SignedContent.allCases.first(where: { $0.isNamed(in: file) }) else {
      throw ExchangeError(.otherContent, "it is neither a manifest nor a keyset")
    }
    let envelope: SignatureEnvelope
    do {
      envelope = try SignatureEnvelope(draft: file, as: content)
    } catch {
      throw ExchangeError(.notCanonical, "it is not a \(content.noun): \(error.description)")
    }
    self.init(
      content: content, signed: Array(file[envelope.signed]),
      signatures: envelope.signatures.map { Signature(keyID: $0.keyID.hex, bytes: $0.bytes) })
    try requireCanonical()
  }

  /// Holds the signed bytes to the encoding and to the size of what they say they are.
  func requireCanonical() throws(ExchangeError) {
    let limit = content.sizeLimit
    guard signed.count <= limit else {
      throw ExchangeError(
        .tooLarge, "\(signed.count) bytes are signed, and a \(content.noun) has at most \(limit)")
    }
    do {
      switch content {
      case .manifest: _ = try ManifestReader.read(signed, signed: signed.startIndex..<signed.endIndex)
      case .keyset: _ = try KeysetReader.read(signed, signed: signed.startIndex..<signed.endIndex)
      }
    } catch {
      throw ExchangeError(.notCanonical, "what is signed is not a \(content.noun): \(error.description)")
    }
  }
}

extension SignedContent {
  /// The most bytes of the signed part: those of a whole file.
  var sizeLimit: Int {
    switch self {
    case .manifest: FormatLimits.fileBytes
    case .keyset: FormatLimits.keysetBytes
    }
  }
}

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

/// The two encodings of a signature by ECDSA on P-256 that tools write: DER (RFC 3279), and the two numbers in 32 bytes
/// each, one behind the other (IEEE P1363).
package enum P256Signature {
  /// The same two numbers in DER; nil for anything but 64 bytes.
  ///
  /// Sound, because it changes how the numbers are written and not the numbers, and the result is verified. BER
  /// and other near misses of DER are not repaired: nobody writes them who means well.
  package static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 64 else { return nil }
    let body = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(body.count)] + body
  }

  /// An INTEGER of at most 33 bytes, in the fewest that keep it positive.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var number = Array(bytes.drop { $0 == 0 })
    if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
    return [0x02, UInt8(number.count)] + number
  }
}
