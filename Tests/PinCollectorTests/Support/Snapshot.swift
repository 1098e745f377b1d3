#if Collector
import Foundation
import Testing

/// What the collector answered once, and has to answer again.
///
/// `PINTLE_RECORD=1` writes what it answers now; read the difference before you commit it.
enum Snapshot {
  static func check(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let path = "Tests/PinCollectorTests/Snapshots/" + name
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try text.write(to: Repository.root.appending(path: path), atomically: true, encoding: .utf8)
    }
    let kept = try Repository.read(path)
    #expect(kept == text, "\(name) differs", sourceLocation: sourceLocation)
  }

  /// JSON for people, so that a difference can be read.
  static func pretty(_ json: String) throws -> String {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self) + "\n"
  }
}
#endif
