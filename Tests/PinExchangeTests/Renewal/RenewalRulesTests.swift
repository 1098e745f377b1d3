import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRules
import PolicySupport
import TestSupport
import Testing

/// The examples of the rules about renewals: a policy and a Certificate of cert-manager.
struct RenewalRulesTests {
  private static func codes(_ example: Example) throws -> Set<String> {
    let policy = try ExampleFiles.resolve(example.files[0].bytes)
    let scene = try RenewalScene(["api.yaml": String(decoding: example.files[1].bytes, as: UTF8.self)])
    let found = try RenewalFiles(below: [scene.folder.path], except: [], firstFile: 1)
    let check = RenewalCheck(policy, found.settings, in: found.files, at: Instant(secondsSinceEpoch: 1_795_000_000))
    return Set(check.report().diagnostics.map(\.code))
  }

  @Test func examplesShowWhatTheRulesAreAbout() throws {
    #expect(Rule.renewalRules.map(\.code) == ["P351", "P352", "P353", "P354"])
    #expect(try Self.codes(Rule.renewalMakesNewKey.failing) == ["P351"])
    #expect(try Self.codes(Rule.renewalUnknown.failing) == ["P352"])
    #expect(try Self.codes(Rule.renewalSettingsUnread.failing) == ["P352", "P353"])
    #expect(try Self.codes(Rule.renewalChoosesHierarchy.failing) == ["P354"])
    for rule in Rule.renewalRules { #expect(try Self.codes(rule.passing) == []) }
  }
}
