#if Service
import Configuration
import Glibc

extension ConfigurationValues {
  /// The keys below `pintle`.
  init(pintle configuration: ConfigReader) {
    self.init(reader: configuration.scoped(to: "pintle"), prefix: "pintle.")
  }

  /// The most bytes of a key or certificate file.
  private static let smallFile = 1 << 20

  /// Reads the files that a key names.
  func read(_ key: String, _ paths: [String]) throws(ServiceSettingsError) -> [[UInt8]] {
    var files: [[UInt8]] = []
    for path in paths { files.append(try read(key, path, limit: Self.smallFile)) }
    return files
  }

  /// Reads a file that a key names.
  func read(_ key: String, _ path: String, limit: Int) throws(ServiceSettingsError) -> [UInt8] {
    do throws(ConfigurationFileError) {
      return try FileBytes.read(path, limit: limit)
    } catch {
      throw self.error(key, error.message)
    }
  }
}

/// Why a file can't be read: a clause.
struct ConfigurationFileError: Error, Hashable {
  let message: String
}

/// Small files read whole, by POSIX calls only.
enum FileBytes {
  /// Reads a file of at most `limit` bytes; a longer one is refused, not cut.
  static func read(_ path: String, limit: Int) throws(ConfigurationFileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = part.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else {
        throw ConfigurationFileError(message: "'\(path)' has more than \(limit) bytes")
      }
      bytes.append(contentsOf: part[..<count])
    }
  }

  private static func failure(_ path: String) -> ConfigurationFileError {
    ConfigurationFileError(message: "can't read '\(path)': " + String(cString: strerror(errno)))
  }
}
#endif
