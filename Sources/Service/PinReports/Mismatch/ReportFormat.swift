/// The formats in which a mismatch is reported.
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// RFC 7469 section 3.
  case rfc7469
  /// What collectors of TrustKit take.
  case trustKit = "trustkit"

  /// The media type that a report in this format is sent with.
  public var mediaType: String { "application/json" }
}
