/// Who may sign: the signed content of a keyset file; `docs/keyset-format.md` specifies it.
///
/// A keyset names the keys that sign manifests and how many of them are needed, and the keys that sign the next keyset.
/// This is the form of tools; a client trusts only what it has verified.
public struct Keyset: Hashable, Sendable {
  /// Some keys, and how many different ones of them must have signed.
  public struct Role: Hashable, Sendable {
    /// Names of keys, sorted by the writer.
    public var keys: [String]
    /// How many of the keys are needed: 1 to their number.
    public var threshold: Int

    /// Puts a role together.
    public init(keys: [String], threshold: Int) {
      self.keys = keys
      self.threshold = threshold
    }
  }

  /// A public key and what people call it.
  public struct Key: Hashable, Sendable {
    /// A name such as `alice` or `hsm-a`: `[a-z0-9][a-z0-9._-]*`, at most 64 characters.
    public var name: String
    /// SubjectPublicKeyInfo, DER, in the one form that each signing key has.
    public var subjectPublicKeyInfo: [UInt8]

    /// Puts a key together.
    public init(name: String, subjectPublicKeyInfo: [UInt8]) {
      self.name = name
      self.subjectPublicKeyInfo = subjectPublicKeyInfo
    }
  }

  /// The environment whose manifests it governs, such as `production`.
  public var audience: String
  /// The number of this keyset; each follows the one before by 1.
  public var version: Int64
  /// When it was made; not compared with the clock.
  public var issued: Instant
  /// From when on a client takes no further manifest by it.
  public var expires: Instant
  /// Which count of serials holds: where it grows, serials begin again at ``minimumSerial``.
  public var serialEpoch: Int64
  /// The least serial of a manifest that a client takes.
  public var minimumSerial: Int64
  /// Who signs keysets: this one, and the next.
  public var roots: Role
  /// Who signs manifests.
  public var signers: Role
  /// All keys of the two roles, sorted by name.
  public var keys: [Key]
  /// Names of extensions without which the keyset must not be used, sorted.
  public var critical: [String]

  /// The media type of the signed bytes: DSSE's payload type, and `type` in the keyset itself.
  public static let mediaType = "application/vnd.pintle.keyset.v1+json"

  /// The version of the format that is written and read.
  public static let formatVersion: Int64 = 1

  /// Puts a keyset together from its parts; lists are sorted by the writer, not here.
  public init(
    audience: String, version: Int64, issued: Instant, expires: Instant, serialEpoch: Int64 = 1,
    minimumSerial: Int64 = 1, roots: Role, signers: Role, keys: [Key], critical: [String] = []
  ) {
    self.audience = audience
    self.version = version
    self.issued = issued
    self.expires = expires
    self.serialEpoch = serialEpoch
    self.minimumSerial = minimumSerial
    self.roots = roots
    self.signers = signers
    self.keys = keys
    self.critical = critical
  }

  /// The key of a name.
  public func key(_ name: String) -> Key? { keys.first { $0.name.isSame(as: name) } }
}
