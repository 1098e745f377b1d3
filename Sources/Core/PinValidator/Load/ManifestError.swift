public import PinFormat

/// Why a manifest was refused.
///
/// Nothing of it is in force then. Two errors are equal where their codes are.
public struct ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `too-few-signatures`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// Compares the names.
    public static func == (left: Code, right: Code) -> Bool { left.description.isSame(as: right.description) }

    /// The file has more bytes than the caller takes.
    public static let tooLarge = Code("too-large")
    /// The part around the signed bytes isn't canonical; nothing was verified.
    public static let malformedFile = Code("malformed-file")
    /// A trusted key's signature isn't one over these bytes: the bytes or the signature were changed.
    public static let invalidSignature = Code("invalid-signature")
    /// Fewer trusted keys signed than are needed.
    public static let tooFewSignatures = Code("too-few-signatures")
    /// The signed bytes aren't the canonical encoding of a manifest.
    public static let malformedManifest = Code("malformed-manifest")
    /// It was made for another environment.
    public static let wrongAudience = Code("wrong-audience")
    /// It can't be understood without an extension that this code doesn't know.
    public static let unknownExtension = Code("unknown-extension")
    /// A certificate in it isn't the one that its fingerprint names, or isn't a certificate.
    public static let wrongCertificate = Code("wrong-certificate")
    /// A trusted signer's key can't be read, or isn't of a kind that signs manifests.
    public static let unusableSigner = Code("unusable-signer")
    /// More signatures are asked for than there are distinct keys, or fewer than one.
    public static let unusableThreshold = Code("unusable-threshold")
    /// libcrypto failed where it should not have.
    public static let cryptography = Code("cryptography")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String
  /// Where the encoding is wrong, for ``Code/malformedFile`` and ``Code/malformedManifest``.
  public let format: FormatError?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    format = nil
  }

  init(_ code: Code, _ format: FormatError) {
    self.code = code
    self.format = format
    message = format.description
  }

  /// The same, which also says if the file is a keyset.
  func about(_ file: some RandomAccessCollection<UInt8>) -> ManifestError {
    code == .tooFewSignatures ? ManifestError(code, message + SignedContent.manifest.hint(file)) : self
  }

  /// The message.
  public var description: String { message }

  /// Compares the codes.
  public static func == (left: ManifestError, right: ManifestError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
