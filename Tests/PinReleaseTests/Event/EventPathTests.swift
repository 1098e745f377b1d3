import PinFormat
import Testing

@testable import PinPolicy
@testable import PinRelease

@Suite("Names of an event's files")
struct EventPathTests {
  private static let key = String(repeating: "0a", count: 32)

  @Test(
    "are drafts, signatures or reasons",
    arguments: [
      ("8.json", "manifest"), ("0008.json", "manifest"), ("production/8.json", "manifest"), ("2.keyset.json", "keyset"),
      ("production/2.keyset.json", "keyset"), ("8.signatures/\(key).json", "8.json"),
      ("production/8.signatures/\(key).json", "production/8.json"),
      ("2.keyset.signatures/\(key).json", "2.keyset.json"), ("8.reason", "why 8.json"),
      ("production/8.reason", "why production/8.json"),
    ])
  func known(path: String, what: String) {
    switch EventPath(path) {
    case .manifest?: #expect(what == "manifest")
    case .keyset?: #expect(what == "keyset")
    case .signature(let draft, let key)?:
      #expect(what == draft)
      #expect(key.hex == Self.key)
      #expect(EventPath.signatures(of: draft).map { $0 + "/" + EventPath.name(of: key) } == path)
    case .reason(let draft)?:
      #expect(what == "why " + draft)
      #expect(DraftReason.path(of: draft) == path)
    case nil: Issue.record("\(path) is nothing")
    }
  }

  @Test(
    "are nothing else",
    arguments: [
      "", "8", "8.yaml", ".8.json", "-8.json", "/8.json", "a//8.json", "../8.json", "a/../8.json", "a/b/8.json",
      "8.json/", "a b.json", "ä.json", "8\u{202E}.json", "8\n.json", "production/.json", "8.signatures/x.json",
      "8.signatures/\(key.uppercased()).json", "8.signatures/\(key)", ".signatures/\(key).json",
      "a/b/8.signatures/\(key).json", ".reason", "a/b/8.reason", "2.keyset.reason", "a/8.signatures/\(key).reason",
      "8.signatures/a/\(key).json", String(repeating: "8", count: 200) + ".json",
    ])
  func unknown(path: String) {
    #expect(EventPath(path) == nil)
  }

  @Test("have a folder of signatures only for a draft")
  func folders() {
    #expect(EventPath.signatures(of: "event/8.json") == "event/8.signatures")
    #expect(EventPath.signatures(of: "8") == nil)
    #expect(EventPath.signatures(of: ".json") == nil)
    #expect(EventPath.signatures(of: "event/.json") == nil)
    #expect(EventPath.signatures(of: "-") == nil)
  }
}
