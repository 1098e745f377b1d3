import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import PinStudies
import Testing

/// The examples of the rules about pins in other files: a policy and a file of an app.
struct FindRulesTests {
  private struct Answer {
    var standings: [PinStanding]
    var nowhere: Int
    var unread: Int
  }

  private static func answer(_ example: Example) throws -> Answer {
    let policy = try PolicyDirectory.empty.adding([
      SourceSet.File(path: "policy.yaml", bytes: example.files[0].bytes)
    ]).policy()
    let known = KnownPins(policy)
    let read = FoundPins(in: example.files[1].bytes, file: FileID(1))
    let found = read.pins.map(\.pin)
    return Answer(
      standings: found.map { known[$0]?.standing ?? .unknown }, nowhere: known.inUse.count { !found.contains($0) },
      unread: read.unread.count)
  }

  @Test func examplesShowWhatTheRulesAreAbout() throws {
    #expect(Rule.findRules.map(\.code) == ["P913", "P914", "P915", "P916"])
    #expect(try Self.answer(Rule.unknownPinFound.failing).standings == [.active, .backup, .unknown])
    #expect(try Self.answer(Rule.deniedPinFound.failing).standings == [.active, .backup, .denied])
    #expect(try Self.answer(Rule.pinFoundNowhere.failing).nowhere == 1)
    #expect(try Self.answer(Rule.unreadablePinFound.failing).unread == 1)
    for rule in Rule.findRules {
      let passing = try Self.answer(rule.passing)
      #expect(passing.standings == [.active, .backup])
      #expect(passing.nowhere == 0 && passing.unread == 0)
    }
  }

  private static func pin(_ first: UInt8) throws -> Pin {
    Pin(try #require(SHA256Digest(Array(first..<first + 32))))
  }

  /// A denial counts before all else, and a key that is in use before one that isn't.
  @Test func onePinOfSeveralKeys() throws {
    let pins = try [UInt8](0..<3).map { try Self.pin($0).description }
    let text = """
      version: 1
      keys:
        a: { pin: \(pins[0]) }
        b: { pin: \(pins[0]) }
        c: { pin: \(pins[1]) }
        d: { pin: \(pins[1]), denied: "leaked" }
        e: { pin: \(pins[2]) }
      hosts:
        - { host: a.example.com, keys: { active: [b, c], backup: [a] } }
      """
    let policy = try PolicyDirectory.empty.adding([SourceSet.File(path: "p.yaml", bytes: Array(text.utf8))]).policy()
    let known = KnownPins(policy)
    #expect(try pins.map { known[try Pin($0)]?.standing } == [.active, .denied, .unused])
    #expect(known.inUse == [try Self.pin(0)])
  }
}
