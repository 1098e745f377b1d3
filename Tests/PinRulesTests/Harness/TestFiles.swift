import Foundation

/// Where the tests' files lie.
enum TestFiles {
  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let fixtures = tests.appendingPathComponent("Fixtures")
  static let snapshots = tests.appendingPathComponent("PinRulesTests/Snapshots")

  /// `PINTLE_RECORD=1` writes snapshots instead of comparing with them.
  static let isRecording = ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1"
}
