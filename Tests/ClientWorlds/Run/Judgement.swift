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
  package private(set) var needless: [Case] = []

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
    let warnings = gate.warnings + diff.warnings
    try note("diff", diff, run.plays(change: nil), gate, warnings)
    if world.change != nil {
      try note("simulate", gate.simulate(), run.plays(change: world.change), gate, warnings)
    }
    if let lost = world.lost { try noteLoss(of: lost, run, gate) }
    answers += 1
    guard case .success(let plan) = try gate.rotate() else { return }
    safe += 1
    do {
      if let step = plan.steps.first, case .release(let release) = step.action, step.earliest <= instant(0),
        release.postponedDenials.isEmpty, diff.isSafe
      {
        let answer = try gate.diff(run.layer(of: release))
        if !answer.isSafe {
          add([Case(family: "rotate: diff rejects the policy of the first step", text: answer.text)])
        }
      }
      for play in try run.plays(of: plan) { add(try Self.cases("rotate", play, gate, warnings)) }
    } catch let error as Gate.Rejected {
      add([
        Case(family: "rotate: check rejects the policy of a step", text: error.messages.joined(separator: "; "))
      ])
    }
  }

  private mutating func note(
    _ command: String, _ answer: Gate.Answer, _ plays: [Play], _ gate: Gate, _ warnings: [String]
  ) throws {
    answers += 1
    let blocks = try plays.flatMap { try $0.failures() }
    if answer.isSafe {
      safe += 1
      for play in plays { add(try Self.cases(command, play, gate, warnings)) }
    } else if blocks.isEmpty {
      let errors = answer.errors.isEmpty ? "" : ": " + answer.errors.joined(separator: " ")
      needless.append(
        Case(
          family: command + (gate.world.hasEvidence ? " with evidence" : "") + errors, text: answer.text))
    }
  }

  /// Of a loss, a command's yes says that there is a chain which suits all clients.
  private mutating func noteLoss(of lost: ClientWorld.Holder, _ run: Run, _ gate: Gate) throws {
    let plays = run.plays(losing: lost)
    guard !plays.isEmpty else { return }
    let (simulated, strands) = try gate.lose(lost)
    let isLockedOut = try plays.contains { try $0.allSatisfy { try !$0.failures().isEmpty } }
    let isStranded = try plays.contains { try $0.allSatisfy { try $0.strandsToday() } }
    let pairs = [("simulate --lose", simulated.isSafe, isLockedOut), ("P612", !strands, isStranded)]
    for (command, isSafe, isBlocked) in pairs {
      answers += 1
      safe += isSafe ? 1 : 0
      if isSafe, isBlocked {
        add([Case(family: "\(command): no chain is accepted by all clients", text: simulated.text)])
      } else if !isSafe, !isBlocked {
        needless.append(
          Case(family: command + (gate.world.hasEvidence ? " with evidence" : ""), text: simulated.text))
      }
    }
  }

  private mutating func add(_ cases: [Case]) {
    for one in cases where !failures.contains(where: { $0.family == one.family }) { failures.append(one) }
  }

  private static func cases(_ command: String, _ play: Play, _ gate: Gate, _ warnings: [String]) throws -> [Case] {
    try play.failures().compactMap { failure in
      let fault = Fault(failure, gate.world)
      guard !fault.isAnswered(by: warnings) else { return nil }
      return Case(
        family: fault.family(of: command, failure, gate.world),
        text: "clients of the \(failure.client.rawValue) release block at \(failure.instant): \(failure.block.name); "
          + "\(failure.phase.origin.rawValue) since \(failure.phase.begin)"
          + (warnings.isEmpty ? "" : "; warnings: " + warnings.joined(separator: "; ")))
    }
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
