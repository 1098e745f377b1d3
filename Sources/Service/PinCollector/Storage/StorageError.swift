#if Collector
/// Why the storage didn't do what it was asked.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is, which decides what to do about it.
  public enum Code: String, Hashable, Sendable {
    /// The database can't be reached, or is busy; later it may be there again.
    case unavailable
    /// The disk, or the size that the database may have, is used up.
    case full
    /// The database isn't one of this program's, or one of a later version's.
    case incompatible
    /// Anything else.
    case failed
  }

  /// What kind of failure it is.
  public let code: Code
  /// What went wrong: one clause, lower case, no full stop.
  public let message: String

  /// Wraps a code and a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
#endif
