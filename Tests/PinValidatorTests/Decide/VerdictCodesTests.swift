import PinFormat
import Testing

@testable import PinValidator

@Suite struct VerdictCodesTests {
  private static let context = DecisionContext(.entry, entry: nil, [])
  private static let match = PinMatch(key: 0, certificate: 0, position: .leaf)
  private static let verdicts: [(Verdict, String)] = [
    (.allow(.matched(match), context), "matched"),
    (.allow(.matchedBoth(leaf: match, authority: match), context), "matched-both"),
    (.allow(.mismatchReported(.noKey), context), "mismatch-reported"),
    (.block(.noManifest, context), "no-manifest"),
    (.block(.invalidHost(.empty), context), "invalid-host"),
    (.block(.unpinnedHost(.noEntry), context), "unpinned-host"),
    (.block(.expired(.entry), context), "expired"),
    (.block(.untrusted(TrustFailure(.expired, "late")), context), "untrusted"),
    (.block(.deniedKey(match), context), "denied-key"),
    (.block(.mismatch(.noKey), context), "mismatch"),
    (.block(.unreadableChain, context), "unreadable-chain"),
    (.notPinned(.noManifest, context), "no-manifest"),
    (.notPinned(.noEntry, context), "no-entry"),
    (.notPinned(.off, context), "off"),
    (.notPinned(.expired(.manifest), context), "expired"),
  ]

  @Test func eachReasonHasItsStableCode() {
    for (verdict, code) in Self.verdicts { #expect(verdict.reasonCode == code) }
    #expect(Set(Self.verdicts.map(\.1)) == Set(Verdict.reasonCodes))
    #expect(Set(Verdict.reasonCodes).count == Verdict.reasonCodes.count)
  }

  @Test func theClockIsSaidThatHasRunOut() {
    #expect(Verdict.notPinned(.expired(.manifest), Self.context).clock == .manifest)
    #expect(Verdict.block(.unpinnedHost(.expired(.entry)), Self.context).clock == .entry)
    #expect(Verdict.block(.mismatch(.noKey), Self.context).clock == nil)
  }
}
