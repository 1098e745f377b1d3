import Diagnostics
import PinFormat
import PinRotation

/// What each command says of a world, in a line each.
package struct Answers {
  package private(set) var lines: [String] = []
  /// Where a command says yes and a client blocks, and where it says no and none does; for people.
  package private(set) var failures: [String] = []
  package private(set) var needless: [String] = []

  /// Asks all commands, and the clients about each answer.
  package init(_ world: ClientWorld, _ tools: WorldTools) throws {
    let judgement = try Judgement(world, tools)
    failures = judgement.failures.map { "\($0.family): \($0.text)" }
    needless = judgement.needless.map { "\($0.family): \($0.text)" }
    guard judgement.isWorld else {
      lines = ["check: " + Set(judgement.rejections.map { String($0.prefix(4)) }).sorted().joined(separator: " ")]
      // Of a key of which only the pin is known, check knows nothing: clients still do.
      try expectBlocks(world.byPins, tools, after: "check rejects it")
      return
    }
    let gate = try Gate(world, tools.mint)
    let diff = try gate.diff()
    let warned = ["P324", "P327", "P331", "P336"].filter { code in gate.warnings.contains { $0.hasPrefix(code) } }
    if !warned.isEmpty { lines.append((["check: warns"] + warned).joined(separator: " ")) }
    let errors = diff.reasons.filter { $0.wholeMatch(of: /P\d+/) != nil }
    let untried = diff.warnings.filter { $0.hasPrefix("P627 ") }.map { String($0.dropFirst(5)) }
    let isDisjoint = untried.contains { $0.contains("no known chain satisfies both") }
    let isStanding = diff.warnings.contains { $0.hasPrefix("P614 ") }
    let codes =
      errors + (isStanding ? ["P614"] : []) + untried.map { _ in "P627" } + (isDisjoint ? ["disjoint"] : [])
    let simulated = try gate.simulate().warnings
    if simulated != untried.map({ $0 + " (P627)" }) { failures.append("simulate: other words than P627: \(simulated)") }
    lines.append((["diff: " + (diff.isSafe ? "safe" : "unsafe")] + codes).joined(separator: " "))
    if world.change != nil { lines.append("simulate: " + (try gate.simulate().isSafe ? "safe" : "unsafe")) }
    if let lost = world.lost {
      let answer = try gate.lose(lost)
      lines.append(
        "lose \(lost): " + (answer.simulated.isSafe ? "safe" : "unsafe") + (answer.strands ? " stranded" : "")
          + (answer.isRenewed ? " in a new certificate" : ""))
    }
    var begins = false
    switch try gate.rotate() {
    case .success(let plan):
      let rejects = plan.notes.contains { $0.hasPrefix("Clients reject the certificate in '") }
      let isByOther = plan.notes.contains { $0.contains("is assumed not to come from 'denied") }
      let ends = (0..<365).filter { day in plan.notes.contains { $0.names(end: day) } }
      lines.append(
        "rotate: " + plan.plan.steps.map(Self.text).joined(separator: ", ") + (rejects ? " in a new certificate" : "")
          + (isByOther ? " by another CA" : "")
          + ends.map { ", ends day \($0)" }.joined())
      for message in untried where !plan.notes.contains("Not checked: \(message) (P627).") {
        failures.append("rotate: doesn't say: \(message)")
      }
      if case .serve? = plan.plan.steps.first?.action { begins = true }
    case .failure: lines.append("rotate: no plan")
    }
    // What has to wait, or can't be planned, would block somebody now.
    guard !begins, diff.isSafe, world.policy.denied.isEmpty else { return }
    var early = world
    (early.change, early.step) = (ClientWorld.Change(holder: .new, day: 0), nil)
    try expectBlocks(early, tools, after: "rotate waits")
  }

  private mutating func expectBlocks(_ world: ClientWorld, _ tools: WorldTools, after what: String) throws {
    let run = try Run(Gate(world, tools.mint))
    if try run.plays(change: world.change).allSatisfy({ try $0.failures().isEmpty }) {
      needless.append("\(what), and no client blocks if servers present 'new' now")
    }
  }

  private static func text(_ step: RotationStep) -> String {
    let day = (step.earliest.secondsSinceEpoch - Instant.day(0).secondsSinceEpoch) / 86_400
    switch step.action {
    case .release(let release):
      return "day \(day) release" + (release.postponedDenials.isEmpty ? "" : " without denial")
    case .serve(let change): return "day \(day) \(change.key.name)"
    }
  }
}

extension ClientWorld {
  /// The same with pins in place of key files, and servers that present the new key at once.
  var byPins: ClientWorld {
    var world = self
    (world.old.form, world.new.form, world.spare.form) = (.pin, .pin, .pin)
    (world.old.statesPlace, world.new.statesPlace, world.spare.statesPlace) = (true, true, true)
    world.step = nil
    world.change = Change(holder: policy.new == .absent ? .old : .new, day: 0)
    return world
  }
}
