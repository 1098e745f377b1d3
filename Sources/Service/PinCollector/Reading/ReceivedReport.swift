package import PinFormat
package import PinReports

/// A report as a collector received it: what somebody claims, and nobody has verified.
package enum ReceivedReport: Hashable, Sendable {
  /// One connection that didn't satisfy its pins.
  case mismatch(ReceivedMismatch)
  /// A day's counts.
  case aggregate(AggregateReport)
}

/// A report on one connection, in either format, with the fields that its sender filled in.
package struct ReceivedMismatch: Hashable, Sendable {
  /// The format that it was written in.
  package var format: ReportFormat
  /// When the connection was judged, by the sender's clock.
  package var dateTime: Instant?
  /// The host that the connection was for.
  package var hostname: String
  /// The port that the connection was for; nil where the sender doesn't say, or says 0.
  package var port: UInt16?
  /// When the pins expire.
  package var effectiveExpiration: Instant?
  /// Whether the pins cover the names below the noted host.
  package var includesSubdomains: Bool?
  /// The host that the pins were noted for.
  package var notedHostname: String?
  /// The chain as it was served, DER.
  package var servedChain: [[UInt8]]
  /// The chain that was matched, DER.
  package var validatedChain: [[UInt8]]
  /// The pins of the certificates of ``servedChain``, in their order.
  package var servedPins: [Pin]
  /// The pins of the certificates of ``validatedChain``, in their order.
  package var validatedPins: [Pin]
  /// How many certificates of both chains are left out: the first that can't be read, and those behind it.
  package var unreadableCertificates: Int
  /// The pins that the sender knows for the host; those of other digests than SHA-256 are left out.
  package var knownPins: [Pin]
  /// Whether the sender enforces the pins: TrustKit's format only.
  package var isEnforced: Bool?
  /// TrustKit's number for what failed, 1 for a chain without any of the pins: TrustKit's format only.
  package var validationResult: Int?
  /// What the sender says of itself: TrustKit's format only.
  package var service: ReportingService?
}
