import Diagnostics
import Foundation
import Testing

/// What each format makes of one report, word for word, in `Tests/Fixtures/reports`.
///
/// With `PINTLE_RECORD=1` in the environment, the files are written again, and the tests fail to say so.
/// `Scripts/check/sarif` checks the SARIF files with the official schema, and `Scripts/check/reports` the others
/// with the rules of their readers.
@Suite("Formats, word for word")
struct SnapshotTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/reports")

  static let endings: [FindingsFormat: String] = [
    .text: "txt", .concise: "concise.txt", .json: "json", .sarif: "sarif", .github: "github.txt",
    .gitlab: "gitlab.json", .junit: "junit.xml",
    .markdown: "md.txt",
  ]

  @Test(arguments: FindingsFormat.allCases)
  func everything(_ format: FindingsFormat) throws {
    try isAsRecorded(Sample.everything, "report", format)
  }

  /// `Scripts/check/reports` checks these with the rules of each format's readers.
  @Test(arguments: FindingsFormat.allCases)
  func nastyTexts(_ format: FindingsFormat) throws {
    try isAsRecorded(NastyTexts.report, "nasty", format)
  }

  private func isAsRecorded(_ report: Report, _ name: String, _ format: FindingsFormat) throws {
    let file = Self.folder.appending(path: name + "." + (try #require(Self.endings[format])))
    let rendered = format.render(report, failLevel: .warning)
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(rendered.utf8).write(to: file)
      Issue.record("wrote \(file.path)")
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(rendered == expected)
  }

  @Test(arguments: FindingsFormat.allCases, [Sample.everything, NastyTexts.report])
  func nothingSteersATerminal(_ format: FindingsFormat, _ report: Report) {
    let rendered = format.render(report)
    let steering = rendered.unicodeScalars.filter { scalar in
      scalar != "\n" && (scalar.properties.generalCategory == .control || scalar == "\u{202E}")
    }
    #expect(steering.isEmpty)
  }
}
