import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRules
import Testing

/// Which of several statements about one key is reported.
@Suite("Several statements about one authority's key")
struct PrecedenceTests {
  private static func pin(_ byte: UInt8) -> String {
    "sha256/" + Data(repeating: byte, count: 32).base64EncodedString()
  }

  /// A file that has one root, with statements about it.
  private static func library(_ authority: String, reviewed: String, _ statements: String...) -> String {
    """
    version: 1
    reviewed: \(reviewed)
    sources:
      news: { published: 2026-10-01, url: https://ca.example/\(authority), says: News. }
    authorities:
      \(authority):
        owner: \(authority)
        keys:
          root:
            pin: \(pin(1))
            certificate: \(String(repeating: "ab", count: 32))
            subject: CN=Root
            place: root
            created: 2020-01-01
            expires: 2049-01-01
            source: news
    \(statements.map { "        " + $0 }.joined(separator: "\n"))

    """
  }

  private static func read(_ text: String) throws -> AuthorityFile {
    let (file, problems) = AuthorityFile.read(Array(text.utf8), file: FileID(0))
    try #require(problems == [])
    return file
  }

  private static func findings(_ library: AuthorityLibrary, active: String = "root") throws -> [String] {
    var example = Example(
      """
      version: 1
      manifest: { audience: production, limits: { expiry-warning: 60d } }
      keys:
        root: { pin: \(pin(1)), position: root }
        other: { pin: \(pin(2)), position: root }
        spare: { pin: \(pin(3)), position: root }
      hosts:
        - host: www.example.com
          keys: { active: [\(active)], backup: [spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """)
    example.instant = try #require(Instant(written: "2026-11-24"))
    return try ExampleCheck(example, library: library).diagnostics.filter { "P341"..."P342" ~= $0.code }
      .map { "\($0.code) \($0.severity) \($0.message) \($0.citation.prefix { $0 != "," })" }
  }

  private static let leaves = "stores: [{ store: mozilla, until: 2027-02-01, source: news }]"
  private static let leavesText = "root 'root' leaves Mozilla's root store on 2027-02-01 https://ca.example/ca"
  private static func ends(_ day: String) -> String { "issues-until: [{ date: \(day), source: news }]" }
  private static func endsText(_ day: String) -> String { "issuance under 'root' ends on \(day) https://ca.example/ca" }

  /// The end of issuance, and what is found of a root that leaves a store on 2027-02-01.
  @Test(
    "A root that leaves a store is reported, unless issuance under it ends before",
    arguments: [
      ("2027-04-01", ["P341 warning " + endsText("2027-04-01"), "P342 warning " + leavesText]),
      ("2027-01-15", ["P341 error " + endsText("2027-01-15")]),
      ("2027-02-01", ["P341 warning " + endsText("2027-02-01")]),
      ("2027-08-01", ["P342 warning " + leavesText]),
    ])
  func departureAndEnd(day: String, expected: [String]) throws {
    let file = try Self.read(Self.library("ca", reviewed: "2026-11-01", Self.ends(day), Self.leaves))
    #expect(try Self.findings(try AuthorityLibrary.none.adding([file])) == expected)
  }

  @Test("It is an error if the day is near, and no other active key lasts longer")
  func severity() throws {
    let file = try Self.read(Self.library("ca", reviewed: "2026-11-01", Self.ends("2027-01-15")))
    let library = try AuthorityLibrary.none.adding([file])
    #expect(try Self.findings(library) == ["P341 error " + Self.endsText("2027-01-15")])
    #expect(try Self.findings(library, active: "root, other") == ["P341 warning " + Self.endsText("2027-01-15")])
  }

  @Test("Of a key that two files have under different authorities, what a given file says counts, and only that")
  func twoNames() throws {
    let known = try AuthorityLibrary.none.adding([
      try Self.read(Self.library("ca", reviewed: "2026-10-01", Self.ends("2027-04-01")))
    ])
    let given = try Self.read(Self.library("ours", reviewed: "2026-11-01", Self.ends("2027-05-01")))
    #expect(
      try Self.findings(try known.adding([given])) == [
        "P341 warning issuance under 'root' ends on 2027-05-01 https://ca.example/ours"
      ])
    let silent = try Self.read(Self.library("ours", reviewed: "2026-11-01"))
    #expect(try Self.findings(try known.adding([silent])) == [])
  }
}
