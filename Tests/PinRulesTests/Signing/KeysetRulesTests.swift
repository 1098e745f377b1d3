import Diagnostics
import PinFormat
import PinRules
import Testing

/// The rules about keysets at their corners; what each is about in the middle is in its examples.
struct KeysetRulesTests {
  private static let day: Int64 = 86_400
  private static let issued = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z

  private func keyset(
    roots: Int = 3, _ rootThreshold: Int = 2, signers: [String] = ["ci", "dora", "emil"], _ threshold: Int = 2,
    days: Int64 = 300, epoch: Int64 = 1
  ) -> Keyset {
    let rootNames = (1...roots).map { "root-\($0)" }
    return Keyset(
      audience: "test", version: epoch, issued: Self.issued, expires: Self.issued.adding(seconds: days * Self.day),
      serialEpoch: epoch, roots: Keyset.Role(keys: rootNames, threshold: rootThreshold),
      signers: Keyset.Role(keys: signers, threshold: threshold),
      keys: Set(rootNames + signers).sorted().map { Keyset.Key(name: $0, subjectPublicKeyInfo: Array($0.utf8)) })
  }

  private func codes(_ keyset: Keyset, after previous: Keyset? = nil, at instant: Instant? = nil) -> [String] {
    KeysetInput(keyset, after: previous, at: instant ?? Self.issued).diagnostics().map { finding in
      finding.code + (finding.severity == .error ? " error" : "")
    }
  }

  @Test func aKeysetOfTwoOfThreeHasNothingAgainstIt() {
    #expect(codes(keyset()) == [])
    #expect(codes(keyset(), after: keyset()) == [])
  }

  @Test func thresholdsAndSpares() {
    #expect(codes(keyset(roots: 3, 1)) == ["P703"])
    #expect(codes(keyset(roots: 3, 3)) == ["P704"])
    #expect(codes(keyset(roots: 1, 1)) == ["P703", "P704"])
    #expect(codes(keyset(signers: ["ci", "dora"], 1)) == ["P702"])
    #expect(codes(keyset(signers: ["ci", "dora"], 2)) == ["P705"])
    #expect(codes(keyset(signers: ["ci"], 1)) == ["P702", "P705"], "warnings stand before notes")
    #expect(codes(keyset(signers: ["ci", "dora", "root-1"])) == ["P706"])
  }

  @Test func datesAtTheirLimits() {
    let whole = keyset(days: 400)
    #expect(codes(whole) == [])
    #expect(codes(keyset(days: 401)) == ["P708"])
    let expiry = whole.expires
    #expect(codes(whole, at: expiry.adding(seconds: -30 * Self.day)) == [])
    #expect(codes(whole, at: expiry.adding(seconds: -30 * Self.day + 1)) == ["P707"])
    #expect(codes(whole, at: expiry.adding(seconds: -1)) == ["P707"])
    #expect(codes(whole, at: expiry) == ["P707 error"])
  }

  /// Signers before and their threshold, signers after and theirs, and the finding when serials begin again.
  @Test(
    arguments: [
      (["a", "b", "c"], 2, ["a", "b", "c"], 2, "P709 error"),
      // All signers stay, but more signatures are needed than the old manifest certainly has.
      (["a", "b", "c"], 2, ["a", "b", "c"], 3, "P709"),
      (["a", "b", "c"], 2, ["d", "b", "c"], 2, "P709"),
      (["a", "b", "c"], 2, ["d", "e", "c"], 2, nil),
      (["a", "b", "c"], 2, ["b", "c"], 1, "P709 error"),
      (["a", "b"], 1, ["b", "c"], 1, nil),
      (["a", "b"], 1, ["a", "b", "c"], 1, "P709 error"),
      (["a", "b", "c", "d"], 3, ["d", "e", "f", "g"], 3, nil),
    ] as [([String], Int, [String], Int, String?)])
  func serialsThatBeginAgain(
    _ before: [String], _ threshold: Int, _ after: [String], _ next: Int, _ expected: String?
  ) {
    let last = keyset(signers: before, threshold)
    let found = codes(keyset(signers: after, next, epoch: 2), after: last).filter { $0.hasPrefix("P709") }
    #expect(found == [expected].compactMap(\.self))
    #expect(!codes(keyset(signers: after, next), after: last).contains { $0.hasPrefix("P709") }, "the same epoch")
  }

  /// A key that stays under another name stays.
  @Test func namesDontHideKeysThatStay() {
    var renamed = keyset(epoch: 2)
    for index in renamed.keys.indices where !renamed.keys[index].name.hasPrefix("root") {
      renamed.keys[index].name += "-new"
    }
    renamed.signers.keys = renamed.signers.keys.map { $0 + "-new" }
    #expect(codes(renamed, after: keyset()) == ["P709 error"])
  }

  @Test func loweredThresholds() {
    #expect(
      codes(keyset(roots: 3, 1, signers: ["ci", "dora"], 1), after: keyset()) == ["P702", "P703", "P710", "P710"])
    #expect(codes(keyset(), after: keyset(roots: 3, 1)) == [])
  }
}
