import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// Measured adoption may make a wait longer, and never shorter.
struct MeasuredClientsTests {
  static let keys = ["a", "b", "c"].map { RotationScene.key(Character($0), "position: leaf") }

  static func text(_ active: String, _ backup: String, window: String = "90d") -> String {
    RotationScene.text(
      keys: keys, sets: ["web: { active: [\(active)], backup: [\(backup)] }"], hosts: ["host: a.test, keys: web"],
      manifest: "client-max-age: \(window)")
  }

  /// Serial 6 has no 'b'; its window ended on 2026-11-15.
  static func released() throws -> [ReleasedManifest] {
    [
      try RotationScene.released(6, "2026-06-01", text("a", "c")),
      try RotationScene.released(7, "2026-08-17", text("a", "b, c")),
      try RotationScene.released(8, "2026-11-10", text("a", "b, c")),
    ]
  }

  static func adoption(_ days: [String: [Int64: Int64]]) throws -> Adoption {
    Adoption(
      measured: try RotationScene.instant("2026-11-21"),
      days: try days.map { date, senders in
        Adoption.Day(number: try RotationScene.instant(date).secondsSinceEpoch / 86_400, senders: senders)
      })
  }

  static func study(
    _ adoption: Adoption?, text: String = text("a", "b, c"), released: [ReleasedManifest]? = nil
  ) throws -> RotationStudy {
    let question = try RotationScene.question(text, released: released ?? Self.released()) { $0.adoption = adoption }
    return try RotationStudy(question, compiler: "pintle test")
  }

  /// The earliest dates of the plan's steps.
  static func dates(_ study: RotationStudy) throws -> [String] {
    let policy = study.policy
    let key = try #require(policy.keys.first { $0.name.value == "b" })
    return try study.world.plan(to: key, of: ["web"], in: policy).steps.map { "\($0.earliest)" }
  }

  static func findings(_ study: RotationStudy) throws -> [String] {
    let comparison = try #require(study.comparison())
    return study.findings(on: comparison, allowsMassChange: false).diagnostics.map {
      "\($0.severity.rawValue) \($0.code) \($0.message)"
    }.sorted()
  }

  /// Its window has passed, but 0.4 % of senders still ran it yesterday: servers wait for them, and a warning says so.
  @Test func anOldSerialIsWaitedFor() throws {
    let without = try Self.study(nil)
    #expect(try Self.dates(without).first == "2026-11-21T00:00:00Z")
    let adoption = try Self.adoption([
      "2026-11-13": [8: 1_800, 7: 1_100, 6: 100], "2026-11-20": [8: 2_688, 7: 300, 6: 12],
    ])
    let study = try Self.study(adoption)
    #expect(study.scenario.releases.map { $0.seenUntil?.description } == ["2026-11-23T00:00:00Z", nil, nil, nil])
    #expect(try Self.dates(study).first == "2026-11-23T00:00:00Z")
    #expect(
      try Self.findings(study).filter { $0.contains("P626") } == [
        "warning P626 0.4 % of senders (12 of 3,000) still ran serial 6 on 2026-11-20, falling, though clients were "
          + "expected not to run it since 2026-11-15T00:00:00Z: it counts as in use until 2026-11-23T00:00:00Z"
      ])
    #expect(try Self.findings(study).filter { !$0.contains("P626") } == Self.findings(without))
  }

  /// Two days without them end the wait; within a week it is still a warning.
  @Test(arguments: [("2026-11-19", "2026-11-22"), ("2026-11-18", "2026-11-21"), ("2026-11-15", "2026-11-21")])
  func theWaitEndsTwoDaysLater(_ row: (day: String, earliest: String)) throws {
    let study = try Self.study(Self.adoption([row.day: [6: 1]]))
    #expect(try Self.dates(study).first == row.earliest + "T00:00:00Z")
    #expect(try Self.findings(study).contains { $0.hasPrefix("warning P626") })
  }

  /// Before the end of its window nothing contradicts it.
  @Test func aReleaseWithinItsWindowIsNoNews() throws {
    let study = try Self.study(Self.adoption(["2026-11-14": [6: 50, 7: 50], "2026-11-20": [7: 90, 8: 10]]))
    #expect(study.scenario.releases.allSatisfy { $0.seenUntil == nil })
    #expect(try Self.findings(study) == Self.findings(try Self.study(nil)))
  }

  @Test func serialsThatAreNotGivenAreNotes() throws {
    let study = try Self.study(Self.adoption(["2026-11-20": [9: 10, 8: 80, 3: 9, 2: 1]]))
    #expect(
      try Self.findings(study).filter { $0.contains("P626") } == [
        "note P626 1 % of senders (1 of 100) ran serial 2 on 2026-11-20: it isn't among the releases that are given, so "
          + "its clients aren't checked",
        "note P626 10 % of senders (10 of 100) ran serial 9 on 2026-11-20: it is newer than all releases that are given",
        "note P626 9 % of senders (9 of 100) ran serial 3 on 2026-11-20: it isn't among the releases that are given, so "
          + "its clients aren't checked",
      ])
    #expect(study.scenario.releases.allSatisfy { $0.seenUntil == nil })
  }

  /// Forged senders of the newest release gain nothing: no date is earlier, no finding is missing.
  @Test func tenThousandForgedSendersShortenNothing() throws {
    let released = Array(try Self.released().dropFirst())
    for text in [Self.text("a", "b, c"), Self.text("a", "c"), Self.text("b", "c")] {
      let without = try Self.study(nil, text: text, released: released)
      let forged = try Self.study(
        Self.adoption(["2026-11-19": [8: 10_000], "2026-11-20": [8: 10_000]]), text: text, released: released)
      #expect(try Self.findings(forged) == Self.findings(without))
      #expect(forged.lockouts == without.lockouts)
      #expect(
        forged.scenario.releases.indices.allSatisfy { number in
          forged.scenario.run(ofRelease: number).end == without.scenario.run(ofRelease: number).end
        })
      #expect((try? Self.dates(forged)) == (try? Self.dates(without)))
      // Nor do they hide the few that have an old one.
      let both = try Self.study(Self.adoption(["2026-11-20": [8: 10_000, 6: 1]]), text: text)
      let warning = "warning P626 less than 0.1 % of senders (1 of 10,001)"
      #expect(try Self.findings(both).contains { $0.hasPrefix(warning) })
    }
  }

  /// Any counts, in policies and histories by chance: each run ends as it did or later, each step is due as it was or
  /// later, and every other finding stays.
  @Test(arguments: 0..<8) func noCountsShortenAnything(_ seed: Int) throws {
    var chance = SeededGenerator(seed: 0x61646F + UInt64(seed))
    let sets = [("a", "b, c"), ("a", "c"), ("b", "c"), ("a, b", "c"), ("c", "a")]
    for _ in 0..<6 {
      let window = chance.pick(["7d", "30d", "90d"])
      var releases: [ReleasedManifest] = []
      let dates: [(Int64, String)] = [
        (6, "2026-06-01"), (7, "2026-08-17"), (8, "2026-10-25"), (9, "2026-11-18"),
      ]
      for (serial, date) in dates where chance.below(4) > 0 {
        let (active, backup) = chance.pick(sets)
        releases.append(try RotationScene.released(serial, date, Self.text(active, backup, window: window)))
      }
      guard !releases.isEmpty else { continue }
      let (active, backup) = chance.pick(sets)
      let text = Self.text(active, backup, window: window)
      var days: [String: [Int64: Int64]] = [:]
      for day in 10...20 where chance.below(2) > 0 {
        for serial in Int64(4)...10 where chance.below(3) == 0 {
          days["2026-11-\(day)", default: [:]][serial] = Int64(chance.below(10_000) + 1)
        }
      }
      let without = try Self.study(nil, text: text, released: releases)
      let measured = try Self.study(Self.adoption(days), text: text, released: releases)
      for number in without.scenario.releases.indices {
        let before = without.scenario.run(ofRelease: number).end
        let after = measured.scenario.run(ofRelease: number).end
        #expect(before == nil ? after == nil : after.map { $0 >= before ?? $0 } ?? false)
      }
      let kept = Set(try Self.findings(measured).map(Self.kind))
      #expect(Set(try Self.findings(without).map(Self.kind)).isSubset(of: kept), "\(days) \(text)")
      guard let early = try? Self.dates(without), let late = try? Self.dates(measured) else { continue }
      #expect(early.last ?? "" <= late.last ?? "", "\(days) \(text)")
      if early.count == late.count { #expect(zip(early, late).allSatisfy { $0 <= $1 }, "\(days) \(text)") }
    }
  }

  /// `error P601`: its servers and dates may become more.
  private static func kind(_ finding: String) -> String { String(finding.split(separator: " ")[1]) }
}
