import ArgumentParser
import PinPolicy
import PinRelease

/// A manifest's serial on the command line.
enum SerialArgument {
  /// Reads a serial, for the `transform` of an option.
  static func read(_ text: String) throws -> Int64 {
    guard let serial = Int64(text), (1...Release.maximumSerial).contains(serial) else {
      throw ValidationError(
        "A serial is a whole number from 1 to \(Release.maximumSerial); each release has a higher one.")
    }
    return serial
  }
}
