import Diagnostics
package import PinPolicy

extension Policy {
  /// The settings that hold, whether or not a file states them.
  package var effectiveSettings: Settings {
    // Nobody asks for the place of what isn't stated.
    settings ?? Settings(place: .beginning(of: FileID(0)), audience: nil)
  }
}
