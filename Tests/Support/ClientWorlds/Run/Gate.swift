import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import TestSupport

/// A world as the commands get it: the policy and releases as text, signed and loaded, and evidence of real chains.
struct Gate {
  let world: ClientWorld
  let mint: Mint
  private let files: [String: [UInt8]]
  let released: [ReleasedManifest]
  let candidate: LoadedManifest
  private let checked: CheckedPolicy
  /// What `check` warns of.
  let warnings: [String]
  private let evidence: Evidence?

  /// Why a world isn't one: `check` rejects a layer.
  struct Rejected: Error {
    var layer: Int
    var messages: [String]
  }

  init(_ world: ClientWorld, _ mint: Mint) throws {
    self.world = world
    self.mint = mint
    files = try world.files(mint)
    var released: [ReleasedManifest] = []
    for (number, release) in world.releases.enumerated() {
      let (checked, _) = try Self.checked(
        world.text(release.layer, mint, hasSteps: false), files, at: instant(-release.age), layer: number)
      let loaded = try Self.load(
        checked, serial: number + 1, issued: instant(-release.age), after: released.last?.digest)
      released.append(
        ReleasedManifest(
          name: "serial \(number + 1)", serial: Int64(number + 1), issued: instant(-release.age),
          digest: try loaded.signedDigest(), loaded: loaded))
    }
    self.released = released
    let text = world.text(world.policy, mint, hasSteps: true)
    (checked, warnings) = try Self.checked(text, files, at: instant(0), layer: released.count)
    candidate = try Self.load(checked, serial: released.count + 1, issued: instant(0), after: nil)
    evidence = world.hasEvidence ? try Self.evidence(world, mint) : nil
  }

  /// A layer as a release of a day, as a plan asks for it.
  func release(_ layer: ClientWorld.Layer, number: Int, on day: Instant) throws -> LoadedManifest {
    let (checked, _) = try Self.checked(
      world.text(layer, mint, hasSteps: false), files, at: instant(0), layer: number)
    return try Self.load(checked, serial: number + 1, issued: day, after: nil)
  }

  private static func checked(
    _ text: String, _ files: [String: [UInt8]], at instant: Instant, layer: Int
  ) throws -> (CheckedPolicy, [String]) {
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array(text.utf8))])
    let reader = FileReader(root: "") { path throws(FileReadError) in
      guard let bytes = files[path] else { throw FileReadError("it doesn't exist") }
      return bytes
    }
    let outcome = CheckedPolicy.check(
      CheckInput(policy: try Resolver.resolve(PolicyReader.read(sources), files: reader), at: instant))
    let diagnostics = outcome.result.diagnostics
    guard let checked = outcome.checked else {
      throw Rejected(
        layer: layer,
        messages: diagnostics.filter { $0.severity == .error }.map { "\($0.code) \($0.message)" })
    }
    return (checked, diagnostics.filter { $0.severity == .warning }.map { "\($0.code) \($0.message)" })
  }

  private static func load(
    _ checked: CheckedPolicy, serial: Int, issued: Instant, after previous: SHA256Digest?
  ) throws -> LoadedManifest {
    try Rehearsal().load(
      checked.lowered(
        as: Release(
          serial: Int64(serial), issued: issued, previous: previous, commit: nil, compiler: "client worlds")))
  }

  private static func evidence(_ world: ClientWorld, _ mint: Mint) throws -> Evidence {
    var certificates: [SHA256Digest: [UInt8]] = [:]
    func note(_ der: [UInt8]) throws -> SHA256Digest {
      let fingerprint = SHA256Digest(try SHA256.digest(of: der))
      certificates[fingerprint] = der
      return fingerprint
    }
    let chain = try world.served(world.oldChain, mint).map(note)
    let anchor = try note(try mint.root(world.root(of: world.oldChain), world))
    let offer = Evidence.Offer(
      KeyPair.Kind(world.oldLeaf.kind).isRSA ? .rsa : .ecdsa, world.speaksTLS13 ? .tls13 : .tls12)
    let visit = Evidence.Visit(
      offer: offer, observed: instant(0), attempts: 1, served: Evidence.Served(chain: chain), failure: nil)
    return Evidence(
      begun: instant(0), ended: instant(0), tool: "client worlds",
      stores: [Evidence.Store(name: "system", anchors: [anchor])],
      certificates: certificates.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
        .sorted { $0.fingerprint < $1.fingerprint },
      targets: [
        Evidence.Target(
          host: try HostName(canonicalising: ClientWorld.host), port: 443,
          addresses: [Evidence.Address(address: "192.0.2.1", port: 443, visits: [visit])])
      ])
  }
}

extension Gate {
  /// What a command says: whether its exit status is 0, and the codes of its findings.
  struct Answer {
    var isSafe: Bool
    /// Why it isn't: the codes of errors, and what the lockouts come from.
    var reasons: [String] = []
    var warnings: [String] = []
    /// What it says that it assumed.
    var assumed: [String] = []
    var text: String
  }

  private func study(
    of policy: CheckedPolicy? = nil, change: ClientWorld.Change? = nil, losing lost: ClientWorld.Holder? = nil,
    isForPlan: Bool = false
  ) throws -> RotationStudy {
    var question = RotationQuestion(policy: policy ?? checked, released: released, now: instant(0))
    question.evidence = evidence
    if let change {
      question.serverChanges = [
        RotationQuestion.ServerChange(
          host: try HostName(canonicalising: ClientWorld.host), port: nil,
          keys: [change.holder?.rawValue ?? "unknown"] + (change.issuer.map { [$0.rawValue] } ?? []),
          instant: instant(change.day))
      ]
    }
    question.knowsLaterEnds = isForPlan
    question.lost = lost.map { [$0.rawValue] } ?? []
    return try RotationStudy(question, compiler: "client worlds")
  }

  /// `pintle diff`, of the policy or of one with other lists of keys.
  func diff(_ layer: ClientWorld.Layer? = nil) throws -> Answer {
    let other = try layer.map {
      try Self.checked(world.text($0, mint, hasSteps: true), files, at: instant(0), layer: released.count).0
    }
    let study = try study(of: other)
    guard let comparison = study.comparison() else { preconditionFailure("a world has a release") }
    let report = DiffReport(study, comparison, allowsMassChange: true)
    return Answer(
      isSafe: report.verdict != .unsafe,
      reasons: Set(report.report.diagnostics.filter { $0.severity == .error }.map(\.code)).sorted()
        + reasons(study),
      warnings: report.report.diagnostics.filter { $0.severity == .warning }.map { "\($0.code) \($0.message)" },
      assumed: study.blindSpots, text: report.headline)
  }

  /// `pintle simulate`, with the change of the world.
  func simulate() throws -> Answer {
    let study = try study(change: world.change)
    let report = SimulationReport(study)
    return Answer(
      isSafe: report.timeline.first == nil, reasons: reasons(study), warnings: report.untriedTrust,
      assumed: study.blindSpots, text: SimulationAnswer(report.timeline).sentence)
  }

  /// What the lockouts come from that make a scenario unsafe, each kind once.
  private func reasons(_ study: RotationStudy) -> [String] {
    let scenario = study.scenario
    let caused = JudgedLockout.all(study.lockouts, in: scenario).filter(\.isCaused)
    return Set(
      caused.map { judged in
        "\(judged.lockout.phase.source): \(judged.cause.kind)"
      }
    ).sorted()
  }

  /// A plan, and what is printed with it.
  struct Plan {
    var plan: RotationPlan
    var notes: [String]

    init(_ proposal: RotationProposal) {
      plan = proposal.plan
      notes = RotationPlanText(proposal: proposal).text().split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }
  }

  /// `pintle simulate --lose`, and whether the loss strands clients today, so that P612 warns of it.
  func lose(_ lost: ClientWorld.Holder) throws -> (simulated: Answer, strands: Bool, isRenewed: Bool) {
    let report = SimulationReport(try study(losing: lost))
    let answer = Answer(isSafe: report.timeline.first == nil, text: SimulationAnswer(report.timeline).sentence)
    let loss = LossAnalysis(try study().scenario).loss(of: world.pair(of: lost, mint).pin)
    // The table says it, and so do the assumptions, which are in the JSON and on the page too.
    let isRenewed = SimulationText(report: report).text().contains("' in a new certificate")
    let isAssumed = report.blindSpots.contains { $0.contains("servers are assumed to present '") }
    precondition(isRenewed == isAssumed && isRenewed != report.renewed.isEmpty)
    return (answer, loss.stranded.contains { $0.instant == instant(0) }, isRenewed)
  }

  /// `pintle rotate s --to new`; why there is no plan, or the plan.
  func rotate() throws -> Result<Plan, WorkFailure> {
    let study = try study(isForPlan: true)
    do throws(WorkFailure) {
      let proposal = try propose(study, in: "policies")
      guard let step = proposal.plan.steps.first, case .release = step.action, step.earliest <= instant(0) else {
        return .success(Plan(proposal))
      }
    } catch {
      return .failure(error)
    }
    // The first step is a change of the policy's files, which is rehearsed before the plan is shown.
    let folder = try TemporaryDirectory()
    for (path, bytes) in files { try folder.write(bytes, to: path) }
    try folder.write(Array(world.text(world.policy, mint, hasSteps: true).utf8), to: "policy.yaml")
    do throws(WorkFailure) {
      func study(_ policy: LoadedPolicy) throws(WorkFailure) -> RotationStudy {
        try RotationStudy(of: policy, after: released, at: instant(0)) {
          $0.evidence = evidence
          $0.knowsLaterEnds = true
        }
      }
      let proposal = try propose(study(LoadedPolicy.load([folder.path])), in: folder.path)
      _ = try RotationWriting(proposal).rehearse(study)
      return .success(Plan(proposal))
    } catch {
      return .failure(error)
    }
  }

  private func propose(_ study: RotationStudy, in folder: String) throws(WorkFailure) -> RotationProposal {
    let target = try RotationTarget("s", to: "new", in: study.policy, as: candidate)
    let commands = RotationCommands([], about: "", directory: folder, keys: [], keyset: nil, newest: nil)
    return try RotationProposal(target, study.policy, study, in: folder, commands)
  }
}

extension LockoutCause {
  /// The kind of cause, and of a failure of trust evaluation what it says but for names.
  fileprivate var kind: String {
    switch self {
    case .notYetPublished: "not yet published"
    case .pinRemoved, .disjoint: "pin removed"
    case .removedTooEarly: "removed too early"
    case .denied: "denied"
    case .newlyEnforced: "newly enforced"
    case .expired(let clock): "expired \(clock)"
    case .untrusted(let reason):
      reason.split(separator: "'", omittingEmptySubsequences: false).enumerated()
        .map { $0.offset.isMultiple(of: 2) ? $0.element : "…" }.joined()
    case .exceptionEnded: "exception ended"
    case .unpinnedDenied: "unpinned"
    case .other: "other"
    }
  }
}
