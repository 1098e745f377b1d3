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

  private static func findings(
    _ library: AuthorityLibrary, active: String = "root", codes: ClosedRange<String> = "P341"..."P342",
    shown: (Diagnostic) -> String = { "\($0.code) \($0.severity) \($0.message) \($0.citation.prefix { $0 != "," })" }
  ) throws -> [String] {
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
    return try ExampleCheck(example, library: library).diagnostics.filter { codes ~= $0.code }.map(shown)
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

  /// A second root, which the first one certified, and statements about it.
  private static func next(_ statements: String) -> String {
    """
          next: { pin: \(pin(4)), certificate: \(String(repeating: "cd", count: 32)), subject: CN=Next, place: root, \
    created: 2024-01-01, expires: 2049-01-01, source: news, \(statements) }

    """
  }

  @Test(
    "A newer root is one in a store, or else one that issuance moves to",
    arguments: [
      ("signed-by: [{ key: root, until: 2049-01-01, source: news }]", []),
      (
        "signed-by: [{ key: root, until: 2049-01-01, source: news }], stores: [{ store: certifi, since: 2026-09-15, source: news }]",
        ["P343 paths through 'root' end at 'next' in trust stores that have it (since 2026-09-15)"]
      ),
    ])
  func newerRoot(next: String, expected: [String]) throws {
    func found(_ move: String) throws -> [String] {
      let text = Self.library("ca", reviewed: "2026-11-01", move) + Self.next(next)
      return try Self.findings(try AuthorityLibrary.none.adding([try Self.read(text)]), codes: "P343"..."P343") {
        "\($0.code) \($0.message)"
      }
    }
    #expect(try found("signed-by: []") == expected)
    // The day of a move isn't one on which a store has the root.
    let moved = "P343 paths through 'root' end at 'next' once a trust store has it; issuance moved to it on 2026-06-01"
    #expect(
      try found("successors: [{ key: next, from: 2026-06-01, source: news }]")
        == (expected.isEmpty ? [moved] : expected))
  }

  @Test("Each of several successors has its own day")
  func successors() throws {
    let moves =
      "successors: [{ key: next, from: 2027-02-01, source: news }, { key: later, from: 2027-04-01, source: news }]"
    let later = Self.next("stores: []").replacing("next:", with: "later:").replacing(Self.pin(4), with: Self.pin(5))
    let text = Self.library("ca", reviewed: "2026-11-01", moves) + Self.next("stores: []") + later
    #expect(
      try Self.findings(try AuthorityLibrary.none.adding([try Self.read(text)])) == [
        "P341 warning issuance moves from 'root' to 'next' on 2027-02-01 https://ca.example/ca"
      ])
    let ended =
      Self.library("ca", reviewed: "2026-11-01", moves, Self.ends("2027-01-31")) + Self.next("stores: []") + later
    #expect(
      try Self.findings(try AuthorityLibrary.none.adding([try Self.read(ended)])) == [
        "P341 warning " + Self.endsText("2027-01-31")
      ])
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
