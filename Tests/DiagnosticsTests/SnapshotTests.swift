import Diagnostics
import Foundation
import Testing

/// What each format makes of one report, word for word, in `Tests/Fixtures/reports`.
///
/// With `PINTLE_RECORD=1` in the environment the files are written anew, and the tests fail to say so.
/// `Scripts/check-sarif` holds the SARIF file against the official schema.
@Suite("Formats, word for word")
struct SnapshotTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/reports")

  static let names: [ReportFormat: String] = [
    .text: "report.txt", .json: "report.json", .sarif: "report.sarif", .github: "report.github.txt",
    .junit: "report.junit.xml", .markdown: "report.md.txt",
  ]

  @Test(arguments: ReportFormat.allCases)
  func everything(_ format: ReportFormat) throws {
    let file = Self.folder.appending(path: try #require(Self.names[format]))
    let rendered = format.render(Sample.everything, failLevel: .warning)
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(rendered.utf8).write(to: file)
      Issue.record("wrote \(file.path)")
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(rendered == expected)
  }

  @Test(arguments: ReportFormat.allCases)
  func nothingSteersATerminal(_ format: ReportFormat) {
    let rendered = format.render(Sample.everything)
    let steering = rendered.unicodeScalars.filter { scalar in
      scalar != "\n" && (scalar.properties.generalCategory == .control || scalar == "\u{202E}")
    }
    #expect(steering.isEmpty)
  }
}
