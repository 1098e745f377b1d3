/// Why bytes are not the one canonical encoding of a manifest, or of evidence: what is wrong, and where.
public struct FormatError: Error, Sendable, CustomStringConvertible {
  /// The kind of mistake.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `not-canonical`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// Compares the names.
    public static func == (left: Code, right: Code) -> Bool { left.description.isSame(as: right.description) }

    /// Something else is where the canonical encoding has only one possibility: spacing, another order of fields,
    /// an unknown or missing field, an escape or a number in another form.
    public static let notCanonical = Code("not-canonical")
    /// A field that the format doesn't have at this place.
    public static let unknownField = Code("unknown-field")
    /// A field that the format asks for isn't there.
    public static let missingField = Code("missing-field")
    /// A field that is twice, or not in its place.
    public static let misplacedField = Code("misplaced-field")
    /// A value that its field can't have.
    public static let invalidValue = Code("invalid-value")
    /// A field that has no effect beside the others.
    public static let contradiction = Code("contradiction")
    /// A list or an object whose items aren't sorted, or that holds one twice.
    public static let notSorted = Code("not-sorted")
    /// A name, a fingerprint or an index that refers to nothing.
    public static let danglingReference = Code("dangling-reference")
    /// More bytes or items than the format allows.
    public static let overLimit = Code("over-limit")
    /// The bytes end too early.
    public static let truncated = Code("truncated")
    /// Something follows the end.
    public static let trailingBytes = Code("trailing-bytes")
    /// A version of the format that this code doesn't know.
    public static let unsupportedVersion = Code("unsupported-version")
  }

  /// The kind of mistake.
  public let code: Code
  /// Where it is: the number of bytes before it.
  public let offset: Int
  /// The place in the structure and what is wrong there, for people.
  public let message: String

  package init(_ code: Code, at offset: Int, _ message: String) {
    self.code = code
    self.offset = offset
    self.message = message
  }

  /// The message and the place.
  public var description: String { message + " (byte " + String(offset) + ")" }
}
