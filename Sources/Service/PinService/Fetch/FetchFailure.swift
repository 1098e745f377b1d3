#if Service
/// Why a URL gave no manifest.
///
/// Two failures are equal where their codes are.
public struct FetchFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `timeout`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// There was no connection, TLS refused it, or it broke before the response was whole.
    public static let connection = Code("connection")
    /// The response wasn't whole at the deadline.
    public static let timeout = Code("timeout")
    /// The body has more bytes than a manifest may have.
    public static let tooLarge = Code("too-large")
    /// The body is compressed or otherwise encoded, which was not asked for.
    public static let encoded = Code("encoded")
    /// The status isn't one that brings a manifest.
    public static let status = Code("status")
    /// A redirect leads elsewhere, or nowhere, or there were too many.
    public static let redirect = Code("redirect")
    /// `304 Not Modified` where nothing was asked conditionally.
    public static let unexpectedNotModified = Code("unexpected-not-modified")
    /// The server asked, by `Retry-After`, to be left alone for longer.
    public static let waiting = Code("waiting")
    /// There was no room on disk for what the server sent.
    public static let disk = Code("disk")
    /// The service is shutting down.
    public static let cancelled = Code("cancelled")

    /// All of them.
    static let all: [Code] = [
      .connection, .timeout, .tooLarge, .encoded, .status, .redirect, .unexpectedNotModified, .waiting, .disk,
      .cancelled,
    ]
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static func tooLarge(_ limit: Int) -> FetchFailure {
    FetchFailure(.tooLarge, "the body has more than \(limit) bytes, the limit")
  }

  /// The message.
  public var description: String { message }

  /// Compares the codes.
  public static func == (left: FetchFailure, right: FetchFailure) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
#endif
