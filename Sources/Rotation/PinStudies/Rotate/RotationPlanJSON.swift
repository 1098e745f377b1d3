import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

/// A rotation for programs, as `schemas/rotation-plan.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
package struct RotationPlanJSON {
  private let proposal: RotationProposal

  package init(proposal: RotationProposal) { self.proposal = proposal }

  package func text() -> String {
    let plan = proposal.plan
    return JSONWriter.document("pintle-rotation-plan", by: .pintle) { writer in
      writer.member("at", proposal.now)
      writer.member("keySet", proposal.policy.keySets[proposal.target.keySet].name)
      writer.member("host", proposal.target.host)
      writer.object("target") { $0.add(plan.goal.target) }
      addProgress(to: &writer)
      addClients(to: &writer)
      writer.adoption(of: proposal.study)
      writer.objects("servers", plan.servers) { server, writer in
        writer.member("server", proposal.study.scenario.servers[server].label)
        writer.member("isAssumed", proposal.assumed.contains(server))
        writer.array("presents", proposal.presented(by: server))
      }
      writer.objects("done", plan.done) { Self.add($0, to: &$1) }
      writer.objects("steps", plan.steps.indices) { add(step: $0, to: &$1) }
      Self.add(plan.outcome, as: "outcome", to: &writer)
      writer.objects("keptAsBackup", plan.keptAsBackup) { $1.add($0) }
      writer.objects("compromised", plan.compromised) { $1.add($0) }
      writer.array("warnings", RotationWarnings(proposal).all)
    }
  }

  private func addProgress(to writer: inout JSONWriter) {
    let progress = proposal.progress
    writer.object("progress") { writer in
      writer.member("behind", progress.behind)
      writer.member("total", progress.total)
      if progress.next != nil { writer.member("next", progress.behind + 1) }
      writer.member("from", progress.from)
      writer.member("isDue", progress.isDue)
    }
  }

  private func addClients(to writer: inout JSONWriter) {
    writer.member("window", proposal.study.scenario.window)
    writer.objects("clients", proposal.running) { client, writer in
      writer.member("release", client.release.name)
      writer.member("serial", client.release.serial)
      writer.member("issued", client.release.issued)
      writer.member("until", client.end)
    }
  }

  private static func add(_ milestone: RotationMilestone, to writer: inout JSONWriter) {
    switch milestone {
    case .published(let since, let release):
      writer.member("kind", "published")
      writer.member("since", since)
      writer.member("release", release)
    case .served(let since, let isAssumed):
      writer.member("kind", "served")
      writer.member("since", since)
      writer.member("isAssumed", isAssumed)
    case .dropped(let since, let release, let keys):
      writer.member("kind", "dropped")
      writer.member("since", since)
      writer.member("release", release)
      writer.objects("keys", keys) { $1.add($0) }
    }
  }

  private func add(step number: Int, to writer: inout JSONWriter) {
    let step = proposal.plan.steps[number]
    let text = StepText(proposal, number)
    writer.member("number", text.count)
    switch step.action {
    case .release(let release):
      writer.member("kind", "release")
      Self.add(release.keySets, as: "keySets", to: &writer)
      for (name, keys) in [
        ("adds", release.adds), ("drops", release.drops), ("activates", release.activates),
        ("denies", release.denies), ("postponedDenials", release.postponedDenials),
      ] {
        writer.objects(name, keys) { $1.add($0) }
      }
      writer.member("isPolicyAsItStands", release.isPolicyAsItStands)
      if let edits = proposal.edits[number] {
        writer.objects("edits", edits) { edit, writer in
          writer.member("file", proposal.policy.sources[edit.file].path)
          writer.member("line", edit.place.start.line)
          writer.member("text", edit.text)
        }
      }
    case .serve(let change):
      writer.member("kind", "serve")
      writer.object("key") { $0.add(change.key) }
      writer.array("servers", proposal.labels(change.servers))
      writer.member("isRefuge", change.isRefuge)
    }
    writer.member("earliest", step.earliest)
    writer.object("wait") { add(step.reason, to: &$0) }
    writer.member(
      "text", ([text.title + ", " + text.date] + [text.wait].compactMap { $0 } + text.lines).joined(separator: "\n"))
  }

  private func add(_ wait: RotationWait, to writer: inout JSONWriter) {
    switch wait {
    case .nothing: writer.member("kind", "nothing")
    case .step(let number):
      writer.member("kind", "step")
      writer.member("step", StepText(proposal, number).count)
    case .audience(let name):
      writer.member("kind", "audience")
      writer.member("audience", name)
    case .clients(let witness):
      writer.member("kind", "clients")
      writer.member("server", witness.server.label)
      writer.member("release", witness.release.name)
      writer.member("serial", witness.release.serial)
      writer.member("issued", witness.release.issued)
      writer.member("begin", witness.begin)
      writer.member("end", witness.end)
      writer.member("reason", witness.reason)
      writer.array("chain", witness.chain.pins.map { $0?.description ?? "unknown" })
    }
  }

  private static func add(_ sets: [KeySetContent], as name: String, to writer: inout JSONWriter) {
    writer.objects(name, sets) { set, writer in
      writer.member("name", set.name)
      writer.objects("active", set.active) { $1.add($0) }
      writer.objects("backup", set.backup) { $1.add($0) }
    }
  }
}
