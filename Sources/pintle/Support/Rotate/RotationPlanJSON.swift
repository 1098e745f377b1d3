import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// A rotation for programs, as `schemas/rotation-plan.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
struct RotationPlanJSON {
  let proposal: RotationProposal

  func text() -> String {
    let plan = proposal.plan
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", "pintle-rotation-plan")
      writer.member("version", 1)
      writer.object("tool") { writer in
        writer.member("name", "pintle")
        writer.member("version", Version.current)
      }
      writer.member("at", proposal.now.description)
      writer.member("keySet", proposal.policy.keySets[proposal.target.keySet].name)
      if let host = proposal.target.host { writer.member("host", host) }
      writer.object("target") { Self.write(plan.goal.target, to: &$0) }
      addProgress(to: &writer)
      addClients(to: &writer)
      addServers(to: &writer)
      writer.array("done") { writer in
        for milestone in plan.done { writer.object { Self.write(milestone, to: &$0) } }
      }
      writer.array("steps") { writer in
        for number in plan.steps.indices { writer.object { write(number, to: &$0) } }
      }
      Self.write(plan.outcome, as: "outcome", to: &writer)
      Self.write(plan.keptAsBackup, as: "keptAsBackup", to: &writer)
      Self.write(plan.compromised, as: "compromised", to: &writer)
      writer.array("warnings") { writer in RotationWarnings(proposal).all.forEach { writer.member(nil, $0) } }
    }
    return writer.text + "\n"
  }

  private func addProgress(to writer: inout JSONWriter) {
    let progress = proposal.progress
    writer.object("progress") { writer in
      writer.member("behind", progress.behind)
      writer.member("total", progress.total)
      if progress.next != nil { writer.member("next", progress.behind + 1) }
      if let from = progress.from { writer.member("from", from.description) }
      writer.member("isDue", progress.isDue)
    }
  }

  private func addClients(to writer: inout JSONWriter) {
    writer.member("window", Int(proposal.study.scenario.window))
    writer.array("clients") { writer in
      for (release, end) in proposal.running {
        writer.object { writer in
          writer.member("release", release.name)
          if let serial = release.serial { writer.member("serial", Int(serial)) }
          writer.member("issued", release.issued.description)
          if let end { writer.member("until", end.description) }
        }
      }
    }
  }

  private func addServers(to writer: inout JSONWriter) {
    writer.array("servers") { writer in
      for server in proposal.plan.servers {
        writer.object { writer in
          writer.member("server", proposal.study.scenario.servers[server].label)
          writer.member("isAssumed", proposal.assumed.contains(server))
          writer.array("presents") { writer in proposal.presented(by: server).forEach { writer.member(nil, $0) } }
        }
      }
    }
  }

  private static func write(_ milestone: RotationMilestone, to writer: inout JSONWriter) {
    switch milestone {
    case .published(let since, let release):
      writer.member("kind", "published")
      writer.member("since", since.description)
      writer.member("release", release)
    case .served(let since, let isAssumed):
      writer.member("kind", "served")
      writer.member("since", since.description)
      writer.member("isAssumed", isAssumed)
    case .dropped(let since, let release, let keys):
      writer.member("kind", "dropped")
      writer.member("since", since.description)
      writer.member("release", release)
      write(keys, as: "keys", to: &writer)
    }
  }

  private func write(_ number: Int, to writer: inout JSONWriter) {
    let step = proposal.plan.steps[number]
    let text = StepText(proposal, number)
    writer.member("number", text.count)
    switch step.action {
    case .release(let release):
      writer.member("kind", "release")
      Self.write(release.keySets, as: "keySets", to: &writer)
      Self.write(release.adds, as: "adds", to: &writer)
      Self.write(release.drops, as: "drops", to: &writer)
      Self.write(release.activates, as: "activates", to: &writer)
      Self.write(release.denies, as: "denies", to: &writer)
      Self.write(release.postponedDenials, as: "postponedDenials", to: &writer)
      writer.member("isPolicyAsItStands", release.isPolicyAsItStands)
      if let edits = proposal.edits[number] {
        writer.array("edits") { writer in edits.forEach { write($0, to: &writer) } }
      }
    case .serve(let change):
      writer.member("kind", "serve")
      writer.object("key") { Self.write(change.key, to: &$0) }
      writer.array("servers") { writer in proposal.labels(change.servers).forEach { writer.member(nil, $0) } }
      writer.member("isRefuge", change.isRefuge)
    }
    writer.member("earliest", step.earliest.description)
    writer.object("wait") { write(step.reason, to: &$0) }
    writer.member(
      "text", ([text.title + ", " + text.date] + [text.wait].compactMap { $0 } + text.lines).joined(separator: "\n"))
  }

  private func write(_ edit: RotationEdits.Edit, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("file", proposal.policy.sources[edit.file].path)
      writer.member("line", Int(edit.place.start.line))
      writer.member("text", edit.text)
    }
  }

  private func write(_ wait: RotationWait, to writer: inout JSONWriter) {
    switch wait {
    case .nothing: writer.member("kind", "nothing")
    case .step(let number):
      writer.member("kind", "step")
      writer.member("step", StepText(proposal, number).count)
    case .clients(let witness):
      writer.member("kind", "clients")
      writer.member("server", proposal.study.scenario.servers[witness.server].label)
      writer.member("release", witness.release)
      if let serial = witness.serial { writer.member("serial", Int(serial)) }
      writer.member("issued", witness.issued.description)
      writer.member("begin", witness.begin.description)
      if let end = witness.end { writer.member("end", end.description) }
      writer.member("reason", proposal.study.reason(of: witness))
      writer.array("chain") { writer in
        for pin in witness.chain.pins { writer.member(nil, pin.map(\.description) ?? "unknown") }
      }
    }
  }

  private static func write(_ sets: [KeySetContent], as name: String, to writer: inout JSONWriter) {
    writer.array(name) { writer in
      for set in sets {
        writer.object { writer in
          writer.member("name", set.name)
          write(set.active, as: "active", to: &writer)
          write(set.backup, as: "backup", to: &writer)
        }
      }
    }
  }

  private static func write(_ keys: [Manifest.Key], as name: String, to writer: inout JSONWriter) {
    writer.array(name) { writer in
      for key in keys { writer.object { write(key, to: &$0) } }
    }
  }

  private static func write(_ key: Manifest.Key, to writer: inout JSONWriter) {
    writer.member("name", key.name)
    writer.member("pin", key.pin.description)
    if let position = key.position { writer.member("position", position.rawValue) }
  }
}
