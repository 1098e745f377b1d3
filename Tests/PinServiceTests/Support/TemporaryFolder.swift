#if Service
import Foundation

/// A folder of a test, which goes with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "pintle-service-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func remove() throws { try FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name), options: .atomic)
    return path + "/" + name
  }
}
#endif
