import Diagnostics
import Foundation
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

@testable import PinStudies

/// What programs answer; `Scripts/check/schemas` compares the schema with the same files.
struct RuleAnswerTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/rule-findings").standardized

  static func names(_ kind: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: kind).path())) ?? []).sorted()
  }

  private static func places() throws -> PointedPlaces {
    let policy = try ExampleFiles.resolve(
      """
      keys:
        root: { file: keys/example-root.pem }
      hosts:
        - host: a.example.com
          keys: { active: [root] }
      """)
    let book = PlaceBook()
    let inventory = KeyInventory(LoadedPolicy(policy: policy), released: nil, at: SmallPolicy.release.issued)
    return PointedPlaces(ResolvedPolicyJSON([inventory]).text(noting: book), book, [policy])
  }

  private static func answer(_ name: String) throws -> RuleAnswer {
    let bytes = try readFile(folder.appending(path: name).path())
    return try RuleAnswer(bytes, codes: ["X101", "X102"], places())
  }

  @Test(arguments: names("valid"))
  func accepted(_ name: String) throws {
    #expect(try Self.answer("valid/" + name).findings.count == (name == "none.json" ? 0 : 1))
  }

  @Test(arguments: names("invalid"))
  func refused(_ name: String) throws {
    #expect(throws: RuleAnswer.Invalid.self) { try Self.answer("invalid/" + name) }
  }

  @Test func hasFixturesAndReadsThem() throws {
    #expect(Self.names("valid").count >= 4 && Self.names("invalid").count >= 16)
    let found = try #require(try Self.answer("valid/one.json").findings.first)
    #expect(found.severity == .error && found.message == "no" && found.audience == 0 && found.help == nil)
    #expect(describe(found.place).hasPrefix("6:11-"))
    #expect(try Self.answer("valid/control-characters.json").findings.first?.message == "<U+001B>[2J<U+000A>")
  }

  @Test(
    "a value without a place of its own is where the object around it is",
    arguments: [
      ("/audiences/0", "2:1"), ("/audiences/0/keys/0/material/subject", "4:3"), ("/audiences/0/hosts/0/mode", "6:11"),
      ("/audiences/0/key-sets/0/active/0", "7:22"), ("/audiences/0/hosts", "2:1"),
    ])
  func around(_ pointer: String, _ place: String) throws {
    let found = try #require(try Self.places().place(of: pointer))
    #expect(describe(found.place).hasPrefix(place + "-"), "\(describe(found.place))")
  }
}
