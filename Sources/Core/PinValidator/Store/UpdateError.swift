import PinFormat

/// Why an update was refused: what was in force stays in force.
///
/// Two errors are equal where their codes are.
public struct UpdateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `older-serial`, or that of a ``ManifestError/Code`` or a ``KeysetError/Code``.
    public let description: String

    init(_ description: String) {
      self.description = description
    }

    /// Compares the names.
    public static func == (left: Code, right: Code) -> Bool { left.description.isSame(as: right.description) }

    /// The serial is below the highest that was accepted.
    public static let olderSerial = Code("older-serial")
    /// The serial is the one in force, and the signed bytes are others.
    public static let conflictingSerial = Code("conflicting-serial")
    /// The serial is below the minimum of the keyset that is trusted.
    public static let belowMinimumSerial = Code("below-minimum-serial")
    /// The keyset that is trusted has expired, and no newer one has come: no further manifest is taken by it.
    public static let keysetExpired = Code("keyset-expired")
    /// A keyset was offered to a store whose signers are fixed.
    public static let noKeyset = Code("no-keyset")
    /// The manifest has expired already.
    public static let stale = Code("stale")
    /// It pins no host at all, and wasn't signed as meant so.
    public static let empty = Code("empty")
    /// It pins far fewer hosts than the one in force, and wasn't signed as meant so.
    public static let shrunk = Code("shrunk")
    /// It would have refused a chain that was allowed lately, and wasn't signed as meant so.
    public static let refusesRecentChain = Code("refuses-recent-chain")
    /// The file to take it from can't be read.
    public static let unreadableFile = Code("unreadable-file")
    /// It could not be kept on disk, so it isn't in force either.
    public static let notStored = Code("not-stored")
    /// The process was forked in the midst of an update, and this child has to open a store of its own.
    public static let inherited = Code("inherited")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String
  /// Why the manifest could not be loaded, where that is the reason.
  public let manifestError: ManifestError?
  /// Why the keyset could not be trusted, where that is the reason.
  public let keysetError: KeysetError?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    manifestError = nil
    keysetError = nil
  }

  init(_ error: ManifestError) {
    code = Code(error.code.description)
    message = error.message
    manifestError = error
    keysetError = nil
  }

  init(_ error: KeysetError) {
    code = Code(error.code.description)
    message = error.message
    manifestError = nil
    keysetError = error
  }

  /// The message.
  public var description: String { message }

  /// Compares the codes.
  public static func == (left: UpdateError, right: UpdateError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
