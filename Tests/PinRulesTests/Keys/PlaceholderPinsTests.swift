import Diagnostics
import Foundation
import PinRules
import Testing

/// Placeholders in policies that people write by hand.
@Suite("Placeholders for pins in policies") struct PlaceholderPinsTests {
  static let texts: [String] = {
    let file = TestFiles.fixtures.appending(path: "placeholders/written-by-people.txt")
    let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    return lines.filter { !$0.hasPrefix("#") }
  }()

  /// Of the fifty, all but the digest of a word are errors, and no fix makes a pin of one.
  @Test func areErrors() throws {
    #expect(Self.texts.count == 50)
    var passed: [String] = []
    for text in Self.texts {
      let check = try ExampleCheck("version: 1\nkeys:\n  web: { pin: \"sha256/\(text)\" }\n")
      let found = check.diagnostics.filter { ["P309", "P310", "P314"].contains($0.code) && $0.severity == .error }
      if found.isEmpty { passed.append(text) }
      #expect(found.allSatisfy { $0.fixes.isEmpty }, "\(text): \(found.flatMap(\.fixes))")
    }
    #expect(passed == ["n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="])
  }

  /// A fix once turned it into a pin.
  @Test func wordsWithUnderscoresAreCalledWhatTheyAre() throws {
    let check = try ExampleCheck(
      "version: 1\nkeys:\n  web: { pin: sha256/REPLACE_WITH_BASE64_SHA256_OF_SERVER_PUBKEY= }\n")
    let finding = try #require(check.diagnostics(of: "P309").first)
    #expect(finding.message.hasSuffix("is not a pin: it spells 'REPLACE', 'WITH' and 'BASE64': a placeholder"))
    #expect(finding.fixes.isEmpty)
  }

  /// The Base64 of URLs isn't rewritten: nobody knows what it was made of.
  @Test func theBase64OfURLsHasNoFix() throws {
    let check = try ExampleCheck(
      "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb-G4Z3OuEIOGQ42TiZFMBbs= }\n")
    #expect(check.diagnostics(of: "P309").map(\.fixes.isEmpty) == [true])
  }
}
