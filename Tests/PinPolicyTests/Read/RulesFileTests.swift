import Diagnostics
import Foundation
import PinPolicy
import TestSupport
import Testing

/// Rules files; `Scripts/check/schemas` compares the schema with the same files.
struct RulesFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/rules").standardized

  static func names(_ kind: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: kind).path())) ?? []).sorted()
  }

  private static func read(_ name: String) throws -> (file: RulesFile, problems: [PolicyProblem]) {
    RulesFile.read(try readFile(folder.appending(path: name).path()), file: FileID(0))
  }

  @Test(arguments: names("valid"))
  func accepted(_ name: String) throws {
    #expect(try Self.read("valid/" + name).problems == [])
  }

  @Test(arguments: names("invalid"))
  func refused(_ name: String) throws {
    #expect(try !Self.read("invalid/" + name).problems.isEmpty)
  }

  @Test func hasFixturesAndReadsThem() throws {
    #expect(Self.names("valid").count >= 3 && Self.names("invalid").count >= 14)
    let programs = try Self.read("valid/two-programs.yaml").file.programs
    #expect(programs.map { $0.command.map(\.value) } == [["./check", "--strict", "7"], ["./other"]])
    #expect(programs.map { $0.timeout?.value } == [600, nil])
    #expect(programs[0].codes.map(\.code.value) == ["X001", "X999"])
  }

  @Test func hasALimit() {
    let text = "version: 1\nrules:\n" + (101...121).map { "  - { exec: [a], codes: { X\($0): a } }\n" }.joined()
    #expect(RulesFile.read(Array(text.utf8), file: FileID(0)).problems.count == 1)
  }
}
