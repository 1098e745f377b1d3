#if AsyncHTTPClient
public import PinValidator

/// Why a set-up of ``PinnedAsyncHTTPClient`` is refused, or a request before a connection is made for it.
///
/// A connection that is blocked is a `PinnedTLSError`, as in all transports on NIO.
public struct PinnedAsyncHTTPClientError: Error, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `undecidable-entry`.
    public let description: String

    /// The configuration would let connections by that nobody decided on.
    public static let configuration = Code(description: "configuration")
    /// An entry of the manifest can't be decided on here; ``PinnedAsyncHTTPClientError/limits`` names it.
    public static let undecidableEntry = Code(description: "undecidable-entry")
    /// The request isn't for an `https` URL with a host.
    public static let unsupportedURL = Code(description: "unsupported-url")
    /// The client has connected to as many hosts as it may.
    public static let tooManyHosts = Code(description: "too-many-hosts")
    /// The client was shut down.
    public static let shutDown = Code(description: "shut-down")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong and what to do, for people: a clause without a full stop.
  public let message: String
  /// The entries that can't be decided on, where that is what is wrong.
  public let limits: [LeafOnlyLimit]

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    limits = []
  }

  /// Entries that can't be decided on; at least one.
  init(_ limits: [LeafOnlyLimit]) {
    code = .undecidableEntry
    message = limits.map(\.description).joined(separator: "; ")
    self.limits = limits
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
#endif
