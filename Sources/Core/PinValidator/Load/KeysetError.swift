public import PinFormat

/// Why a keyset was refused.
///
/// The one that was trusted stays trusted. Two errors are equal where their codes are.
public struct KeysetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `skipped-version`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// Compares the names.
    public static func == (left: Code, right: Code) -> Bool { left.description.isSame(as: right.description) }

    /// The file has more bytes than a keyset may have.
    public static let tooLarge = Code("too-large")
    /// The part around the signed bytes isn't canonical; nothing was verified.
    public static let malformedFile = Code("malformed-file")
    /// A root key's signature isn't one over these bytes: the bytes or the signature were changed.
    public static let invalidSignature = Code("invalid-signature")
    /// Fewer root keys signed than are needed, of the keyset before or of this one.
    public static let tooFewSignatures = Code("too-few-signatures")
    /// The signed bytes aren't the canonical encoding of a keyset.
    public static let malformedKeyset = Code("malformed-keyset")
    /// It was made for another environment.
    public static let wrongAudience = Code("wrong-audience")
    /// It can't be understood without an extension that this code doesn't know.
    public static let unknownExtension = Code("unknown-extension")
    /// A key in it can't be read, isn't of a kind that signs, or isn't in its one form.
    public static let unusableSigner = Code("unusable-signer")
    /// Its version is below the one that is trusted.
    public static let olderVersion = Code("older-version")
    /// Its version is the one that is trusted, and the signed bytes are others.
    public static let conflictingVersion = Code("conflicting-version")
    /// Its version isn't the next one: those between must come first.
    public static let skippedVersion = Code("skipped-version")
    /// Its epoch of serials is lower, or its minimum serial within the same epoch.
    public static let serialsFall = Code("serials-fall")
    /// libcrypto failed where it should not have.
    public static let cryptography = Code("cryptography")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String
  /// Where the encoding is wrong, for ``Code/malformedFile`` and ``Code/malformedKeyset``.
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

  /// Puts what verifying signatures or reading keys found wrong into a keyset's terms.
  init(_ error: ManifestError) {
    switch error.code {
    case .tooFewSignatures: code = .tooFewSignatures
    case .invalidSignature: code = .invalidSignature
    case .unusableSigner, .unusableThreshold: code = .unusableSigner
    default: code = .cryptography
    }
    message = error.message
    format = nil
  }

  /// The same, which also says if the file is a manifest.
  func about(_ file: [UInt8]) -> KeysetError {
    let hint = SignedContent.keyset.hint(file)
    return hint.isEmpty ? self : KeysetError(code, message + hint)
  }

  /// The message.
  public var description: String { message }

  /// Compares the codes.
  public static func == (left: KeysetError, right: KeysetError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
