/// Why bytes aren't a report.
package struct ReportReaderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `not-json`.
    package let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// More bytes than a report may have: HTTP's 413.
    package static let tooLarge = Code("too-large")
    /// A media type that reports don't have: HTTP's 415.
    package static let mediaType = Code("media-type")
    /// The bytes aren't a JSON object in UTF-8, or an object has a field twice.
    package static let notJSON = Code("not-json")
    /// Values are nested deeper, or are longer or more, than in any report.
    package static let overLimit = Code("over-limit")
    /// A field that no report can do without isn't there.
    package static let missingField = Code("missing-field")
    /// A field has a value that it can't have.
    package static let invalidValue = Code("invalid-value")
    /// A version of the format that this code doesn't know.
    package static let unsupportedVersion = Code("unsupported-version")
  }

  /// The kind of refusal.
  package let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  ///
  /// Nothing of the report's values is in it.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  package var description: String { message }

  /// Compares the codes.
  package static func == (left: ReportReaderError, right: ReportReaderError) -> Bool { left.code == right.code }

  /// Hashes the code.
  package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
