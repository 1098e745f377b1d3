/// One report on its way to one address: what the sender is to do.
///
/// Send it with POST, over TLS with the transport's full validation; where the address's host is pinned, its pins hold
/// (RFC 7469 section 2.1.4). **Don't follow redirects to another host**: a report goes to whom the entry names. Answer
/// with ``ReportQueue/finished(_:_:at:)`` in any case.
public struct Delivery: Hashable, Sendable, Identifiable {
  /// Which report, to which of its addresses.
  public struct ID: Hashable, Sendable {
    let report: UInt64
    let address: Int
  }

  /// Which report, to which of its addresses.
  public let id: ID
  /// Where to send it: an https URI.
  public let uri: String
  /// The media type of ``body``.
  public let mediaType: String
  /// The report.
  public let body: [UInt8]
  /// How often this was tried before.
  public let earlierAttempts: Int
}

/// What came of a delivery.
public enum DeliveryOutcome: Hashable, Sendable {
  /// The address has the report.
  case delivered
  /// It may take it later; after so many seconds at the earliest, where it says so.
  case retryLater(afterSeconds: Int64?)
  /// It never will.
  case rejected

  /// Reads what an HTTP server answered (RFC 9110 section 15).
  ///
  /// 2xx is delivered. 408, 421, 425, 429, 5xx and what nobody knows are worth another try. Everything else is for
  /// good, redirects among them: anybody who sends has followed what may be followed.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - retryAfterSeconds: What `Retry-After` says, in seconds.
  public init(status: Int, retryAfterSeconds: Int64? = nil) {
    self =
      switch status {
      case 200...299: .delivered
      case 408, 421, 425, 429, 500...599: .retryLater(afterSeconds: retryAfterSeconds)
      case 300...499: .rejected
      default: .retryLater(afterSeconds: nil)
      }
  }
}
