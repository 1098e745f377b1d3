import Foundation

/// How much a test looks at of what is made at random or counted through.
///
/// `Scripts/test --full` sets `PINTLE_THOROUGH`, and then it is all; otherwise a part, which is the same each time.
package enum Thoroughness {
  package static let isFull = ProcessInfo.processInfo.environment["PINTLE_THOROUGH"] != nil

  /// The one number or the other.
  package static func pick(_ part: Int, full: Int) -> Int { isFull ? full : part }
}
