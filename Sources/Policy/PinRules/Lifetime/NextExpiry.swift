import PinFormat
import PinPolicy

extension CheckInput {
  /// A new expiry date for an entry that is reviewed now: a year away, or as far as the policy allows.
  var nextExpiry: String {
    let allowed = policy.effectiveSettings.maximumLifetime
    return day(of: instant.adding(seconds: min(365 * 86_400, allowed)))
  }

  /// The last day that isn't behind an instant.
  func day(of instant: Instant) -> String { String("\(instant)".prefix { $0 != "T" }) }
}
