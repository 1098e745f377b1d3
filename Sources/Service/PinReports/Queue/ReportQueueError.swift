/// Why a queue can't be opened.
public struct ReportQueueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `in-use`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// The folder isn't there, or nothing can be written in it.
    public static let unusableFolder = Code("unusable-folder")
    /// Another process, or another queue of this one, has it.
    public static let inUse = Code("in-use")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong and what to do, for people.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// Compares the codes.
  public static func == (left: ReportQueueError, right: ReportQueueError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
