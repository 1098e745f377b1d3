import Foundation
import Testing

/// Texts that are kept beside the tests, so that a change of what people see shows in the diff.
enum Snapshot {
  /// Compares with `Snapshots/<name>.txt`, or writes it with `PINTLE_RECORD=1`.
  static func expect(
    _ text: String, named name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let url = TestFiles.snapshots.appendingPathComponent(name + ".txt")
    if TestFiles.isRecording {
      try FileManager.default.createDirectory(at: TestFiles.snapshots, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
      return
    }
    let data = try? Data(contentsOf: url)
    let recorded = try #require(
      data, "there is no snapshot \(name).txt: run the tests with PINTLE_RECORD=1, and review what that writes",
      sourceLocation: sourceLocation)
    #expect(text == String(decoding: recorded, as: UTF8.self), sourceLocation: sourceLocation)
  }
}
