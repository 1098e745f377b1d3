import OpenSSLKit
public import PinFormat

/// A keyset that is trusted: who may sign manifests, and who may sign the next keyset.
///
/// A client ships one, which is trusted because it came with the code (``load(shipped:audience:)``). From there it walks
/// forward, one version at a time: each next one is signed by enough root keys of the one before and by enough of its
/// own (``successor(_:)``). It never changes, so threads share it freely.
public final class TrustedKeyset: Sendable {
  /// What it says.
  public let keyset: Keyset
  /// Who signs manifests, and how many are needed.
  public let signers: TrustedSigners
  /// Who signs keysets, and how many are needed.
  public let roots: TrustedSigners
  /// The whole file, as it came.
  package let fileBytes: [UInt8]
  /// SHA-256 over the signed bytes.
  package let digest: SHA256Digest

  /// The most bytes of a keyset file: 64 KiB.
  public static let maximumBytes = FormatLimits.keysetBytes

  private init(
    _ keyset: Keyset, _ fileBytes: [UInt8], _ digest: SHA256Digest, signers: TrustedSigners, roots: TrustedSigners
  ) {
    self.keyset = keyset
    self.fileBytes = fileBytes
    self.digest = digest
    self.signers = signers
    self.roots = roots
  }

  private convenience init(_ keyset: Keyset, _ fileBytes: [UInt8], _ digest: SHA256Digest) throws(KeysetError) {
    let signers = try Self.signers(of: keyset.signers, in: keyset)
    self.init(keyset, fileBytes, digest, signers: signers, roots: try Self.signers(of: keyset.roots, in: keyset))
  }

  /// Trusts the keyset that was shipped with a client, or that an operator names.
  ///
  /// It is trusted because it was shipped. Nevertheless it must have enough signatures of its own root keys,
  /// to detect a damaged file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - audience: The environment that the caller runs in; a keyset for any other is refused.
  /// - Returns: The keyset.
  /// - Throws: ``KeysetError`` saying what is wrong.
  public static func load(shipped bytes: [UInt8], audience: String) throws(KeysetError) -> TrustedKeyset {
    try load(shipped: bytes, requiredAudience: audience)
  }

  /// Trusts as above; a tool that works for any environment passes nil for the audience.
  package static func load(
    shipped bytes: [UInt8], requiredAudience: String?
  ) throws(KeysetError) -> TrustedKeyset {
    let envelope: SignatureEnvelope, keyset: Keyset
    do throws(KeysetError) {
      envelope = try scan(bytes)
      keyset = try read(bytes, envelope)
    } catch {
      throw error.about(bytes)
    }
    try check(keyset, audience: requiredAudience)
    let trusted = try TrustedKeyset(keyset, bytes, digest(of: bytes, envelope))
    try trusted.roots.verify(keyset: envelope, of: bytes, of: "its own")
    return trusted
  }

  /// Takes the next version.
  ///
  /// Its bytes are verified by this keyset's root keys before any of them is read.
  ///
  /// - Parameter bytes: The whole file.
  /// - Returns: The keyset that is trusted from then on: the next, or this one where the bytes are its own again.
  /// - Throws: ``KeysetError`` saying what is wrong.
  public func successor(_ bytes: [UInt8]) throws(KeysetError) -> TrustedKeyset {
    let envelope: SignatureEnvelope, digest: SHA256Digest
    do throws(KeysetError) {
      envelope = try Self.scan(bytes)
      digest = try Self.digest(of: bytes, envelope)
      if digest == self.digest { return self }
      try roots.verify(keyset: envelope, of: bytes, of: "the trusted")
    } catch {
      throw error.about(bytes)
    }
    let next = try Self.read(bytes, envelope)
    try check(contentOf: next)
    let trusted = try TrustedKeyset(next, bytes, digest)
    try trusted.roots.verify(keyset: envelope, of: bytes, of: "its own")
    return trusted
  }

  /// Refuses content that doesn't follow this keyset, no matter who signs it; for tools that make the next one.
  package func check(contentOf next: Keyset) throws(KeysetError) {
    try Self.check(next, audience: keyset.audience)
    try check(versionOf: next)
  }

  /// The number that a file gives itself, which nobody has vouched for.
  static func version(unverified bytes: [UInt8]) throws(KeysetError) -> Int64 {
    try read(bytes, try scan(bytes)).version
  }

  private func check(versionOf next: Keyset) throws(KeysetError) {
    let version = keyset.version
    guard next.version >= version else {
      throw KeysetError(.olderVersion, "version \(next.version) is below \(version), which is trusted")
    }
    guard next.version > version else {
      throw KeysetError(
        .conflictingVersion, "version \(version) is trusted with other signed bytes; one of the two is a mistake")
    }
    guard next.version == version + 1 else {
      throw KeysetError(
        .skippedVersion, "version \(next.version) doesn't follow \(version): those between must come first")
    }
    guard
      next.serialEpoch > keyset.serialEpoch
        || (next.serialEpoch == keyset.serialEpoch && next.minimumSerial >= keyset.minimumSerial)
    else {
      throw KeysetError(
        .serialsFall,
        "serials can't go back from epoch \(keyset.serialEpoch), minimum \(keyset.minimumSerial), to epoch "
          + "\(next.serialEpoch), minimum \(next.minimumSerial)")
    }
  }

  private static func scan(_ bytes: [UInt8]) throws(KeysetError) -> SignatureEnvelope {
    guard bytes.count <= maximumBytes else {
      throw KeysetError(.tooLarge, "the file has \(bytes.count) bytes; the limit is \(maximumBytes)")
    }
    do { return try SignatureEnvelope(scanning: bytes, as: .keyset) } catch { throw KeysetError(.malformedFile, error) }
  }

  private static func read(_ bytes: [UInt8], _ envelope: SignatureEnvelope) throws(KeysetError) -> Keyset {
    do {
      return try KeysetReader.read(bytes, signed: envelope.signed)
    } catch {
      throw KeysetError(.malformedKeyset, error)
    }
  }

  private static func check(_ keyset: Keyset, audience: String?) throws(KeysetError) {
    // Compared as bytes: Swift's == also accepts canonically equivalent text.
    if let audience, !keyset.audience.utf8.elementsEqual(audience.utf8) {
      throw KeysetError(
        .wrongAudience, "the keyset is for the audience \"\(keyset.audience)\", not for \"\(audience)\"")
    }
    // No extension is defined yet, so every critical one is unknown.
    if let name = keyset.critical.first {
      throw KeysetError(.unknownExtension, "the keyset needs the extension \"\(name)\", which is not known here")
    }
  }

  private static func digest(of bytes: [UInt8], _ envelope: SignatureEnvelope) throws(KeysetError) -> SHA256Digest {
    do {
      return SHA256Digest(try SHA256.digest(of: bytes, in: envelope.signed))
    } catch {
      throw KeysetError(.cryptography, error.message)
    }
  }

  private static func signers(of role: Keyset.Role, in keyset: Keyset) throws(KeysetError) -> TrustedSigners {
    var keys: [[UInt8]] = []
    for name in role.keys {
      guard let key = keyset.key(name) else { continue }
      // Only DER, which begins with a SEQUENCE: PEM would be a second encoding of the same key.
      guard key.subjectPublicKeyInfo.first == 0x30 else {
        throw KeysetError(.unusableSigner, "the key \"\(name)\" can't be used: it must be in DER")
      }
      keys.append(key.subjectPublicKeyInfo)
    }
    do { return try TrustedSigners(publicKeys: keys, threshold: role.threshold) } catch { throw KeysetError(error) }
  }
}

extension TrustedKeyset {
  /// The number of this keyset.
  public var version: Int64 { keyset.version }
  /// The environment whose manifests it governs.
  public var audience: String { keyset.audience }
  /// From when on no further manifest is taken by it.
  public var expires: Instant { keyset.expires }
}

extension TrustedSigners {
  fileprivate func verify(
    keyset envelope: SignatureEnvelope, of bytes: [UInt8], of whose: StaticString
  ) throws(KeysetError) {
    do {
      _ = try verify(envelope, of: bytes, as: .keyset)
    } catch {
      guard error.code == .tooFewSignatures else { throw KeysetError(error) }
      throw KeysetError(
        .tooFewSignatures, "too few of " + whose.description + " root keys signed: " + error.message)
    }
  }
}
