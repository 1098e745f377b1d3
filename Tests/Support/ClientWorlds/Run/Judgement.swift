import Diagnostics
import PinFormat
import PinRotation
import PinValidator

/// What the commands say of one world, and what clients do.
package struct Judgement {
  /// One block that a command called safe, or one "unsafe" where all clients go on.
  package struct Case: Hashable, Sendable {
    package var family: String
    /// What happens, for people.
    package var text: String
  }

  /// Whether `check` accepted all layers.
  package private(set) var isWorld = true
  package private(set) var rejections: [String] = []
  /// How many answers were compared with the clients'.
  package private(set) var answers = 0
  /// How many of them said yes.
  package private(set) var safe = 0
  package private(set) var failures: [Case] = []
  /// Blocks that a warning named when the command said yes.
  package private(set) var warned: [Case] = []
  package private(set) var needless: [Case] = []
  /// Those "unsafe" where clients do block, but would today as well: that never excuses a wrong pin.
  package private(set) var strict: [Case] = []

  /// Judges a world.
  package init(_ world: ClientWorld, _ tools: WorldTools) throws {
    let gate: Gate
    do {
      gate = try Gate(world, tools.mint)
    } catch let error as Gate.Rejected {
      isWorld = false
      rejections = error.messages
      return
    }
    let run = try Run(gate)
    let diff = try gate.diff()
    let warnings = gate.warnings + diff.warnings + diff.assumed
    try note("diff", diff, run.plays(change: nil), gate, warnings)
    if world.change != nil {
      let simulated = try gate.simulate()
      try note(
        "simulate", simulated, run.plays(change: world.change), gate, warnings + simulated.warnings + simulated.assumed)
    }
    if let lost = world.lost { try noteLoss(of: lost, run, gate) }
    answers += 1
    guard case .success(let plan) = try gate.rotate() else { return }
    safe += 1
    do {
      if let step = plan.plan.steps.first, case .release(let release) = step.action, step.earliest <= instant(0),
        release.postponedDenials.isEmpty
      {
        let answer = try gate.diff(run.layer(of: release))
        if !answer.isSafe {
          failures.append(Case(family: "rotate: diff rejects the policy of the first step", text: answer.text))
        }
      }
      for play in try run.plays(of: plan.plan) { try add("rotate", play, gate, warnings + plan.notes) }
    } catch let error as Gate.Rejected {
      let text = error.messages.joined(separator: "; ")
      failures.append(Case(family: "rotate: check rejects the policy of a step", text: text))
    }
  }

  private mutating func note(
    _ command: String, _ answer: Gate.Answer, _ plays: [Play], _ gate: Gate, _ warnings: [String]
  ) throws {
    answers += 1
    let blocks = try plays.flatMap { try $0.failures() }
    if answer.isSafe {
      safe += 1
      for play in plays { try add(command, play, gate, warnings) }
    } else if blocks.isEmpty {
      let evidence = gate.world.hasEvidence ? "with evidence" : "without evidence"
      let found = Case(
        family: "\(command) \(evidence): \(answer.reasons.joined(separator: ", "))", text: answer.text)
      if try plays.contains(where: { try $0.isBlockedAnywhere() }) {
        strict.append(found)
      } else {
        needless.append(found)
      }
    }
  }

  /// Of a loss, a command's yes says that there is a chain which suits all clients.
  private mutating func noteLoss(of lost: ClientWorld.Holder, _ run: Run, _ gate: Gate) throws {
    let plays = run.plays(losing: lost)
    guard !plays.isEmpty else { return }
    let (simulated, strands, _) = try gate.lose(lost)
    let isLockedOut = try plays.contains { try $0.allSatisfy { try !$0.failures().isEmpty } }
    let isStranded = try plays.contains { try $0.allSatisfy { try $0.strandsToday() } }
    let pairs = [("simulate --lose", simulated.isSafe, isLockedOut), ("P612", !strands, isStranded)]
    for (command, isSafe, isBlocked) in pairs {
      answers += 1
      safe += isSafe ? 1 : 0
      if isSafe, isBlocked {
        failures.append(Case(family: "\(command): no chain is accepted by all clients", text: simulated.text))
      } else if !isSafe, !isBlocked {
        needless.append(
          Case(family: command + (gate.world.hasEvidence ? " with evidence" : ""), text: simulated.text))
      }
    }
  }

  private mutating func add(_ command: String, _ play: Play, _ gate: Gate, _ warnings: [String]) throws {
    for failure in try play.failures() {
      let fault = Fault(failure, gate.world)
      let found = Case(
        family: fault.family(of: command, failure, gate.world),
        text: "clients of the \(failure.client.rawValue) release block at \(failure.instant): \(failure.block.name); "
          + "\(failure.phase.origin.rawValue) since \(failure.phase.begin)"
          + (warnings.isEmpty ? "" : "; said: " + warnings.joined(separator: "; ")))
      if fault.isAnswered(by: warnings) { Self.add(found, to: &warned) } else { Self.add(found, to: &failures) }
    }
  }

  /// One of each family is enough.
  private static func add(_ found: Case, to cases: inout [Case]) {
    if !cases.contains(where: { $0.family == found.family }) { cases.append(found) }
  }
}

/// What a thread needs: the keys, and the certificates that it has made.
package final class WorldTools {
  let mint: Mint

  package init(_ ring: WorldKeys) { mint = Mint(ring.ring) }
}

/// The keys of all worlds.
package struct WorldKeys: Sendable {
  let ring = KeyRing()

  package init() {}
}
