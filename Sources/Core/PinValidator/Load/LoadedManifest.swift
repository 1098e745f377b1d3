import OpenSSLKit
public import PinFormat

/// A manifest whose signatures were verified and whose bytes were read: what decisions are made on.
///
/// Only ``load(_:signers:audience:maximumBytes:)`` makes one. It never changes, so threads share it freely.
public final class LoadedManifest: Sendable {
  package let tables: ManifestTables
  /// The trusted keys that signed it.
  public let signedBy: [SHA256Digest]
  /// All signatures of the file, also those that nobody asked about.
  private let signatures: [SignatureEnvelope.Signature]
  /// SHA-256 over the signed bytes; nil where it wasn't asked for while they were at hand.
  private let digest: SHA256Digest?
  /// How many bytes the file had.
  package let fileByteCount: Int

  private init(
    _ tables: ManifestTables, signedBy: [SHA256Digest], signatures: [SignatureEnvelope.Signature],
    digest: SHA256Digest?, fileByteCount: Int
  ) {
    self.fileByteCount = fileByteCount
    self.tables = tables
    self.signedBy = signedBy
    self.signatures = signatures
    self.digest = digest
  }

  /// The size in bytes above which a file is refused, where the caller doesn't say: 64 MiB.
  public static let defaultMaximumBytes = FormatLimits.clientFileBytes

  /// Verifies a manifest file and reads it; the file's bytes aren't kept.
  ///
  /// Only verified bytes are parsed, beyond the list of signatures. Freshness doesn't refuse a manifest: it changes
  /// what is decided, see ``freshness(at:)``.
  ///
  /// - Parameters:
  ///   - bytes: The whole file. A caller that gives it away, as with what was just read, saves a copy of it.
  ///   - signers: Whose signatures count, and how many are needed.
  ///   - audience: The environment that the caller runs in; a manifest for any other is refused.
  ///   - maximumBytes: The most bytes that are read.
  /// - Returns: The manifest, ready to decide on.
  /// - Throws: ``ManifestError`` saying what is wrong.
  public static func load(
    _ bytes: consuming [UInt8], signers: TrustedSigners, audience: String, maximumBytes: Int = defaultMaximumBytes
  ) throws(ManifestError) -> LoadedManifest {
    try load(in: &bytes, signers: signers, requiredAudience: audience, maximumBytes: maximumBytes)
  }

  /// Loads as above; a tool that shows manifests of any environment passes nil for the audience.
  package static func load(
    _ bytes: consuming [UInt8], signers: TrustedSigners, requiredAudience: String?,
    maximumBytes: Int = defaultMaximumBytes, keepsDigest: Bool = false
  ) throws(ManifestError) -> LoadedManifest {
    try load(
      in: &bytes, signers: signers, requiredAudience: requiredAudience, maximumBytes: maximumBytes,
      keepsDigest: keepsDigest)
  }

  /// Loads as above; the bytes are what they were afterwards, and are copied only where somebody else holds them.
  ///
  /// Who will ask for ``signedDigest()`` has it kept: afterwards the bytes have to be written again for it.
  package static func load(
    in bytes: inout [UInt8], signers: TrustedSigners, requiredAudience: String?,
    maximumBytes: Int = defaultMaximumBytes, keepsDigest: Bool = false
  ) throws(ManifestError) -> LoadedManifest {
    guard bytes.count <= min(maximumBytes, FormatLimits.fileBytes) else {
      throw ManifestError(.tooLarge, "the file has \(bytes.count) bytes; the limit is \(maximumBytes)")
    }
    let envelope: SignatureEnvelope
    do { envelope = try SignatureEnvelope(scanning: bytes) } catch { throw ManifestError(.malformedFile, error) }
    let signedBy: [SHA256Digest]
    do { signedBy = try signers.verify(envelope, in: &bytes) } catch { throw error.about(bytes) }
    let tables: ManifestTables
    do {
      tables = try ManifestReader.read(bytes, signed: envelope.signed)
    } catch {
      throw ManifestError(.malformedManifest, error)
    }
    // Compared as bytes: Swift's == also accepts canonically equivalent text.
    if let requiredAudience, !tables.header.audience.utf8.elementsEqual(requiredAudience.utf8) {
      throw ManifestError(
        .wrongAudience,
        "the manifest is for the audience \"\(tables.header.audience)\", not for \"\(requiredAudience)\"")
    }
    // No extension is defined yet, so every critical one is unknown.
    if let name = tables.header.critical.first {
      throw ManifestError(.unknownExtension, "the manifest needs the extension \"\(name)\", which is not known here")
    }
    try checkCertificates(of: tables)
    return LoadedManifest(
      tables, signedBy: signedBy, signatures: envelope.signatures,
      digest: keepsDigest ? try digest(of: bytes, in: envelope.signed) : nil, fileByteCount: bytes.count)
  }

  private static func digest(of bytes: [UInt8], in range: Range<Int>) throws(ManifestError) -> SHA256Digest {
    do {
      return SHA256Digest(try SHA256.digest(of: bytes, in: range))
    } catch {
      throw ManifestError(.cryptography, error.message)
    }
  }

  private static func checkCertificates(of tables: ManifestTables) throws(ManifestError) {
    for certificate in tables.certificates {
      let digest: SHA256Digest
      do {
        digest = SHA256Digest(try SHA256.digest(of: certificate.der))
      } catch {
        throw ManifestError(.cryptography, error.message)
      }
      guard digest == certificate.fingerprint else {
        throw ManifestError(
          .wrongCertificate,
          "the certificate under \(certificate.fingerprint.hex) has the fingerprint \(digest.hex)")
      }
      guard (try? Certificate(der: certificate.der)) != nil else {
        throw ManifestError(.wrongCertificate, "the bytes under \(certificate.fingerprint.hex) are not a certificate")
      }
    }
  }
}

extension LoadedManifest {
  /// The environment that it is meant for.
  public var audience: String { tables.header.audience }
  /// Its serial, which grows with each release.
  public var serial: Int64 { tables.header.serial }
  /// When it was released.
  public var issued: Instant { tables.header.issued }
  /// From when on a newer one should be looked for.
  public var refreshAfter: Instant { tables.header.refreshAfter }
  /// From when on it is stale.
  public var expires: Instant { tables.header.expires }
  /// Why it was signed as a drastic change, which takes effect without the activation guard; nil for a plain release.
  public var drasticChange: String? { tables.header.drasticChange }
  /// The number of host entries.
  public var entryCount: Int { tables.hosts.count }
  /// All that it says, for tools; made again at each call, so not for the decision path.
  public var manifest: Manifest { Manifest(tables) }
  /// The canonical bytes that were signed; written again at each call, so not for the decision path.
  public var signedBytes: [UInt8] { tables.signedBytes() }
  /// The whole file, byte for byte what came; written again at each call.
  package var fileBytes: [UInt8] { SignatureEnvelope.encode(signed: signedBytes, signatures: signatures) }

  /// Whether another one says the same, byte for byte, no matter who has signed it.
  package func hasSignedBytes(of other: LoadedManifest) -> Bool {
    if let digest, let theirs = other.digest { return digest == theirs }
    return signedBytes == other.signedBytes
  }

  /// Whether another one came as the same file, byte for byte.
  package func hasFileBytes(of other: LoadedManifest) -> Bool {
    signatures == other.signatures && hasSignedBytes(of: other)
  }

  /// SHA-256 over the signed bytes: what the next release states as `previous`.
  ///
  /// A manifest that a store loaded knows it; for another one the signed bytes are written and hashed at each call.
  ///
  /// - Throws: ``ManifestError`` of code `cryptography` where libcrypto fails.
  public func signedDigest() throws(ManifestError) -> SHA256Digest {
    if let digest { return digest }
    let bytes = signedBytes
    return try Self.digest(of: bytes, in: bytes.indices)
  }
}
