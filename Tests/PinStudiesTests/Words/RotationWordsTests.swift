import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import Testing

/// The texts of a rotation, a diff and a simulation, for small policies.
struct RotationWordsTests {
  private static let keys = [
    RotationScene.key("a"), RotationScene.key("b"), RotationScene.key("c"),
    RotationScene.key("d", #"denied: "leaked""#),
  ]

  private static func text(active: String, backup: String = "c", hosts: [String] = ["host: a.test, keys: web"])
    -> String
  {
    RotationScene.text(keys: keys, sets: ["web: { active: [\(active)], backup: [\(backup)] }"], hosts: hosts)
  }

  private static func study(_ text: String, after released: String...) throws -> RotationStudy {
    let days = ["2026-09-01", "2026-10-01", "2026-11-01"]
    let releases = try released.enumerated().map { number, text in
      try RotationScene.released(Int64(number) + 1, days[number], text)
    }
    return try RotationStudy(RotationScene.question(text, released: releases), compiler: "pintle test")
  }

  // MARK: Targets

  private static func target(_ name: String, to key: String) throws -> RotationTarget {
    let hosts = ["host: a.test, keys: web", "host: b.test, mode: off"]
    let study = try study(text(active: "a", backup: "b", hosts: hosts), after: text(active: "a", backup: "b"))
    return try RotationTarget(name, to: key, in: study.policy, as: Rehearsal().load(study.world.candidate))
  }

  private static let targets: [(String, String?)] = [
    ("web", nil), ("a.test", "a.test:443"), ("a.test:443", "a.test:443"), ("A.TEST", "a.test:443"),
  ]

  @Test(arguments: targets)
  func isTheTarget(_ name: String, _ host: String?) throws {
    let target = try Self.target(name, to: "b")
    #expect(target.host == host && target.asked == name && target.keySet == 0)
  }

  @Test(arguments: [
    ("web", "nope", "the policy has no key 'nope'", "Declare it under 'keys:'"),
    ("wob", "b", "the policy has no key set 'wob', and no entry governs a host of that name", "Did you mean 'web'?"),
    ("https://a.test", "b", "the policy has no key set 'https://a.test'", ""),
    ("other.test", "b", "the policy has no key set 'other.test'", ""),
    ("b.test", "b", "the entry that governs 'b.test:443' pins no key", "Name a host whose entry has 'keys:'."),
  ])
  func noTargets(_ name: String, _ key: String, _ message: String, _ help: String) {
    let failure = #expect(throws: WorkFailure.self) { try Self.target(name, to: key) }
    #expect(failure?.kind == .usage)
    #expect(failure?.message.hasPrefix(message) == true && failure?.help?.hasPrefix(help) == true, "\(failure as Any)")
  }

  // MARK: Plans

  private static func proposal(_ text: String, to key: String, after released: String) throws -> RotationProposal {
    let study = try study(text, after: released)
    let target = try RotationTarget("web", to: key, in: study.policy, as: Rehearsal().load(study.world.candidate))
    let commands = commands(["web", "policies", "--to", key])
    return try RotationProposal(target, study.policy, study, in: "policies", commands)
  }

  private static func commands(_ arguments: [String]) -> RotationCommands {
    RotationCommands(
      ["pintle", "rotate"] + arguments, about: "web", directory: "policies", keys: ["my key.pub"], keyset: nil,
      newest: "7.json")
  }

  @Test(arguments: [
    (["web", "--to", "b"], "web --to b"),
    (["web", "--write", "--dry-run", "--check", "--format", "json", "--to", "b"], "web --to b"),
    (["web", "--format=json", "--to", "b c"], "web --to 'b c'"),
    (["web", "--to", "it's", ""], #"web --to 'it'\''s' ''"#),
  ])
  func commandsCanBePasted(_ arguments: [String], _ expected: String) {
    #expect(Self.commands(arguments).rotate == expected)
  }

  @Test(arguments: [(true, "7.json"), (false, "NEWEST.json")])
  func theBaselineIsTheNewestRelease(_ isNext: Bool, _ baseline: String) {
    #expect(
      Self.commands([]).build(isNext: isNext) == "policies -o NEXT.json --sign-key KEY --against \(baseline) "
        + "--key 'my key.pub' --issued-at now")
  }

  /// With a keyset of several signers, nobody can build a release that clients accept.
  @Test(arguments: [(1, nil), (2, "   # 2 of alice, bob")])
  func eachSignerIsAsked(_ threshold: Int, _ who: String?) {
    let commands = RotationCommands(
      ["pintle", "rotate"], about: "web", directory: "policies", keys: [], keyset: "keysets", newest: "released/7.json",
      signers: (["alice", "bob"], threshold))
    let against = "--against released/7.json --keyset keysets"
    #expect(
      commands.build(isNext: true)
        == "policies -o NEXT.json \(who == nil ? "--sign-key KEY" : "--unsigned") \(against) --issued-at now")
    #expect(commands.sign(isNext: true) == who.map { "NEXT.json \(against) --sign-key KEY" + $0 })
  }

  @Test func aPlanIsTheSameInTextAndJSON() throws {
    let proposal = try Self.proposal(Self.text(active: "a"), to: "b", after: Self.text(active: "a"))
    let text = RotationPlanText(proposal: proposal).text()
    #expect(text.hasPrefix("ROTATION of key set 'web' to 'b', at 2026-11-21T00:00:00Z\n"))
    let json = RotationPlanJSON(proposal: proposal).text()
    #expect(json.hasPrefix("{\n  \"format\": \"pintle-rotation-plan\",\n  \"version\": 1,\n"))
    for number in 1...proposal.plan.steps.count {
      #expect(text.contains("  \(number). ") && json.contains("\"number\": \(number),"))
    }
    #expect(RotationPlanText(proposal: proposal).check().hasPrefix("next: step 1 of \(proposal.plan.steps.count), "))
  }

  @Test func aDeniedKeyIsNoTarget() throws {
    let failure = #expect(throws: WorkFailure.self) {
      try Self.proposal(Self.text(active: "a"), to: "d", after: Self.text(active: "a"))
    }
    #expect(failure?.kind == .unsafeRotation && failure?.message == "'d' is denied: leaked")
  }

  // MARK: Diffs

  private static func diff(_ text: String, after released: String) throws -> DiffReport {
    let study = try study(text, after: released)
    return DiffReport(study, try #require(study.comparison()), allowsMassChange: true)
  }

  @Test func nothingChanges() throws {
    let diff = try Self.diff(Self.text(active: "a"), after: Self.text(active: "a"))
    #expect(diff.verdict != .unsafe && diff.changes.isEmpty && diff.groups.isEmpty)
    #expect(diff.headline.hasPrefix("safe"))
  }

  /// Servers present the active key, which clients that have the release before don't have.
  @Test func aKeyThatNobodyHasYetIsUnsafe() throws {
    let diff = try Self.diff(Self.text(active: "b"), after: Self.text(active: "a"))
    #expect(diff.verdict == .unsafe && diff.headline.hasPrefix("unsafe, "))
    #expect(diff.report.diagnostics.first?.severity == .error)
    for format in FindingsFormat.allCases {
      let text = format.render(diff, shown: diff.report, style: TextRenderer())
      #expect(text.hasSuffix("\n") && text.contains(format == .sarif || format == .json ? "\"error" : "a.test"))
    }
  }

  // MARK: Simulations

  @Test func aSimulationSaysWhatItAssumes() throws {
    let report = SimulationReport(try Self.study(Self.text(active: "a"), after: Self.text(active: "a")))
    #expect(report.timeline.first == nil && report.witness == nil)
    #expect(report.assumptions.prefix(4).map(\.term) == ["Adoption window", "Clients", "Servers", "Releases"])
    #expect(report.assumptions[1].text == "serial 1 of 2026-09-01T00:00:00Z, then this policy")
    #expect(
      SimulationText(report: report).text().contains("\nASSUMPTIONS\n  from now to      2026-11-21T00:00:00Z to "))
    let json = SimulationJSON(report: report).text()
    #expect(json.contains(#""verdict": "safe""#) && json.contains(#""origin": "released""#))
  }

  @Test func aLockoutHasAWitness() throws {
    let report = SimulationReport(try Self.study(Self.text(active: "b"), after: Self.text(active: "a")))
    #expect(report.timeline.first != nil && report.witness?.client == "serial 1")
    #expect(SimulationJSON(report: report).text().contains(#""verdict": "locked-out""#))
  }

  /// Releases that don't follow from one another can't be played.
  @Test func theOrderOfReleases() throws {
    let study = try Self.study(Self.text(active: "a"), after: Self.text(active: "a"), Self.text(active: "a"))
    let failure = #expect(throws: WorkFailure.self) { try study.requireOrder() }
    #expect(failure?.kind == .refused)
    #expect(throws: Never.self) { try Self.study(Self.text(active: "a"), after: Self.text(active: "a")).requireOrder() }
  }
}
