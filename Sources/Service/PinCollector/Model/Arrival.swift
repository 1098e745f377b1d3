#if Collector
import PinFormat
import PinReports

/// What came in with one request.
enum Arrival: Hashable, Sendable {
  case mismatch(Sighting)
  /// With SHA-256 over its bytes, which a sender that repeats itself sends again.
  case aggregate(report: AggregateReport, fingerprint: [UInt8], bytes: Int64)

  var fingerprint: [UInt8] {
    switch self {
    case .mismatch(let sighting): sighting.fingerprint
    case .aggregate(report: _, let fingerprint, bytes: _): fingerprint
    }
  }
}

/// What became of what came in.
enum Stored: Hashable, Sendable {
  /// It is new.
  case new
  /// It was counted with those that say the same.
  case counted
  /// It was sent before, byte for byte, and isn't counted twice.
  case repeated
}
#endif
