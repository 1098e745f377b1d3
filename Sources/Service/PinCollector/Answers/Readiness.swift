#if Collector
/// Whether an entry that only reports may enforce, as far as its clients' counts show.
enum Readiness: String, Encodable {
  /// For so many days every connection would have passed.
  case ready
  /// All would have passed, but not for long enough, or on too few days.
  case wait
  /// Some would have been blocked.
  case failing
  /// Nobody counted a connection.
  case unseen

  /// The days with counts, in a row or not, that make an entry ready.
  static let days: Int64 = 7

  init(successes: Int64, failures: Int64, days: Int64) {
    if failures > 0 {
      self = .failing
    } else if successes == 0 {
      self = .unseen
    } else {
      self = days >= Self.days ? .ready : .wait
    }
  }
}
#endif
