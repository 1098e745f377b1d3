import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import Testing

/// What examples of rules about rotation compare with: their released policies, compiled and released unchanged.
struct ExampleRotation {
  private(set) var released: [ReleasedManifest] = []
  private let rehearsal: Rehearsal

  init(_ releases: [Example.Released]) throws {
    rehearsal = try Rehearsal()
    for release in releases { try add(release) }
  }

  private mutating func add(_ example: Example.Released) throws {
    let (sources, unread) = ExampleCheck.sources(of: example.files)
    let policy = try Resolver.resolve(PolicyReader.read(sources, unread: unread), files: ExampleCheck.keyFiles)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: example.issued))
    let checked = try #require(outcome.checked, "serial \(example.serial): \(outcome.result.diagnostics)")
    let release = Release(
      serial: example.serial, issued: example.issued, previous: released.last?.digest, commit: nil,
      compiler: "pintle test")
    let loaded = try rehearsal.load(checked.lowered(as: release))
    released.append(
      ReleasedManifest(
        name: "serial \(example.serial)", serial: example.serial, issued: example.issued,
        digest: try loaded.signedDigest(), loaded: loaded))
  }

  /// Simulates a policy, as `pintle diff` does.
  func input(
    for policy: CheckedPolicy, at instant: Instant, _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws -> RotationInput? {
    guard let newest = released.last?.manifest else { return nil }
    var question = RotationQuestion(policy: policy, released: released, now: instant)
    try change(&question)
    let study = try RotationStudy(question, compiler: "pintle test")
    let world = study.world
    let candidate = ReleaseRecord(
      name: "this policy", audience: world.candidate.audience, serial: nil, issued: question.now, digest: nil,
      previous: world.candidate.previous)
    return RotationInput(
      scenario: world.scenario, lockouts: study.lockouts,
      losses: LossAnalysis(world.scenario).losses(), changes: ManifestChanges(from: newest, to: world.candidate),
      newest: newest, historyProblems: HistoryProblem.find(in: released.map(\.record), candidate: candidate),
      futures: study.futures(onlyNew: true), adoption: question.adoption, allowsMassChange: false)
  }
}

extension ReleasedManifest {
  fileprivate var record: ReleaseRecord {
    let manifest = manifest
    return ReleaseRecord(
      name: name, audience: manifest.audience, serial: serial, issued: issued, digest: digest,
      previous: manifest.previous)
  }
}
