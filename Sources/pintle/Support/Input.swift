import PinValidator

/// Files that a command reads as a whole.
enum Input {
  /// The most bytes of each kind of file.
  enum Limit: Int {
    /// A key, a request or a certificate.
    case key = 1_048_576
    /// A bundle of certificates.
    case bundle = 16_777_216
    /// A keyset; a little more than one may have, so that it is said what is wrong.
    case keyset = 131_072
    /// A manifest.
    case manifest = 67_108_864
    /// A manifest or a keyset in another format, which may be longer than the file itself.
    case exchanged = 100_663_296
    /// Pins in another tool's format; the longest public list has less than half of it.
    case pins = 33_554_432
    /// A policy file.
    case policy = 67_108_865
    /// Evidence of live servers.
    case evidence = 268_435_456
  }

  /// Reads a file that isn't too long for its kind; `-` is standard input.
  static func read(_ path: String, limit: Limit) throws(CommandFailure) -> [UInt8] {
    do {
      return try WholeFile.read(path == "-" ? "/dev/stdin" : path, limit: limit.rawValue)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }
}
