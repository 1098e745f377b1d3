import Diagnostics
package import PinFormat
import PinPolicy
package import PinRotation
import PinRules
import PinValidator

/// One remaining step of a plan in plain words.
struct StepText {
  private let proposal: RotationProposal
  private let number: Int
  private let step: RotationStep

  /// Takes a step by its index among those that remain.
  init(_ proposal: RotationProposal, _ number: Int) {
    self.proposal = proposal
    self.number = number
    step = proposal.plan.steps[number]
  }

  /// As people count, those that are behind included.
  var count: Int { proposal.plan.done.count + number + 1 }

  /// What it is, in a few words.
  var title: String {
    switch step.action {
    case .release: "release the policy"
    case .serve(let change):
      "have the servers present '\(change.key.name)'"
        + (proposal.objections[number].isEmpty ? "" : " in a new certificate")
    }
  }

  /// From when on it may be done.
  var date: String {
    let date = step.earliest <= proposal.now ? nil : "not before \(step.earliest)"
    guard case .step(let other) = step.reason, number > 0 else { return date ?? "now" }
    let order = "right after step \(StepText(proposal, other).count)"
    return date.map { "\($0), \(order)" } ?? order
  }

  /// Why it can't be earlier; nil where it can be done now.
  var wait: String? {
    switch step.reason {
    case .nothing, .step: return nil
    case .audience(let name):
      return "Clients of the audience '\(name)' may run until \(step.earliest) with a manifest that doesn't allow it: "
        + "--audience \(name) shows the steps that they need."
    case .clients(let witness):
      return
        "Clients with \(named(witness)) may run until \(step.earliest)\(seen(witness)), and would be locked out of "
        + "\(witness.server.label): " + witness.reason + "."
    }
  }

  /// Why clients count so long, where the adoption window alone would have ended.
  private func seen(_ witness: PlanWitness) -> String {
    guard let late = proposal.study.measured?.late.first(where: { $0.serial == witness.release.serial }) else {
      return ""
    }
    return ", because senders still ran it on \(late.day.text)"
  }

  private func named(_ witness: PlanWitness) -> String {
    // A release that the plan makes is named by its step.
    let own = proposal.plan.steps.indices.first {
      "step \($0 + 1)" == witness.release.name && witness.release.serial == nil
    }
    return own.map { "the release of step \(StepText(proposal, $0).count)" }
      ?? "\(witness.release.name), released \(witness.release.issued),"
  }

  /// What to do, line by line; commands are indented.
  var lines: [String] {
    switch step.action {
    case .release(let release): releaseLines(release)
    case .serve(let change): serveLines(change)
    }
  }

  private func releaseLines(_ release: PlannedRelease) -> [String] {
    var lines: [String] = []
    if !release.postponedDenials.isEmpty {
      let names = Wording.list(release.postponedDenials.map(\.name))
      lines.append(
        "Leave the denial of \(names) out of this release: servers still present it, and clients would be locked out."
      )
    }
    if let edits = proposal.edits[number] {
      lines +=
        edits.isEmpty
        ? ["The policy already has this change."]
        : edits.map { edit in
          let sources = proposal.policy.sources
          let text = edit.text.prefix(1).uppercased() + edit.text.dropFirst()
          return "\(text) (\(sources[edit.file].path):\(edit.place.start.line))."
        }
      if !edits.isEmpty, number == 0, release.postponedDenials.isEmpty {
        lines.append("  pintle rotate \(proposal.commands.rotate) --write")
      }
    } else {
      lines.append(
        "Declare \(Wording.list(proposal.undeclared(release).map(\.name))) in the policy as an earlier release has it, with "
          + "the same position, and list it in \(proposal.label).")
    }
    let isNext = !proposal.plan.steps[..<number].contains { if case .release = $0.action { true } else { false } }
    if proposal.isMassChange(number) {
      lines += [
        "For more than 30 % of the hosts, this release removes keys or changes what clients trust. If that is intended, "
          + "check it with:", "  pintle diff \(proposal.commands.diff(isNext: isNext))",
      ]
    }
    lines.append("Build, sign and publish it:")
    lines.append("  pintle build \(proposal.commands.build(isNext: isNext))")
    if let sign = proposal.commands.sign(isNext: isNext) { lines.append("  pintle sign \(sign)") }
    if !release.denies.isEmpty {
      lines.append("From then on \(Wording.list(release.denies.map(\.name))) is denied.")
    }
    return lines
  }

  /// The end of a CA certificate of the new key that no release carries, so that no rejection names it.
  private func end(of change: PlannedChange) -> String? {
    let plan = proposal.plan
    let key = proposal.policy.keys.first { $0.pin == change.key.pin }
    guard let file = key?.material, let certificate = file.certificate, certificate.isCA,
      proposal.objections[number].isEmpty, certificate.notAfter < plan.end,
      !change.servers.allSatisfy({ server in plan.remaining.contains { $0.server.number == server && $0.isByEnd } })
    else { return nil }
    return "The certificate in '\(file.path)' expires at \(certificate.notAfter): have a new one issued for the same "
      + "key, and in use, before."
  }

  private func serveLines(_ change: PlannedChange) -> [String] {
    let servers = Wording.list(proposal.labels(change.servers))
    var lines = proposal.objections[number].map { objection in
      "Clients reject the certificate in '\(objection.path)' at \(Wording.list(objection.servers)): \(objection.clause)."
    }
    if !lines.isEmpty { lines.append("Have a certificate that they accept issued for the same key first.") }
    lines.append("Change \(servers) to '\(change.key.name)'.")
    if let end = end(of: change) { lines.append(end) }
    if change.isRefuge { lines.append("This is only temporary: clients already have this key.") }
    lines.append("Before the next step, record what they present, and run this command again with that evidence:")
    lines.append("  pintle probe \(proposal.commands.probe) --record fleet.json")
    return lines
  }

  /// The warning against doing it too early.
  func bar(_ barred: RotationProgress.Barred) -> String {
    let act =
      switch step.action {
      case .release: "Don't release the policy of step \(count)"
      case .serve(let change): "Don't have a server present '\(change.key.name)'"
      }
    switch barred.reason {
    case .nothing, .step: return "\(act) before step \(count - 1) is done."
    case .audience(let name):
      return "\(act) before \(barred.until): clients of the audience '\(name)' would be locked out."
    case .clients(let witness):
      return
        "\(act) before \(barred.until): clients with \(named(witness)) would be locked out of \(witness.server.label)."
    }
  }
}

extension RotationProposal {
  /// Whether a step's release takes something from so many hosts that `diff` asks whether it is intended.
  package func isMassChange(_ number: Int) -> Bool {
    let releases = plan.played.releases.map(\.manifest.manifest)
    let place = releases.count - plan.steps[number...].count { if case .release = $0.action { true } else { false } }
    return place > 0 && ManifestChanges(from: releases[place - 1], to: releases[place]).isMassChange
  }

  /// Keys that a release needs and the policy doesn't declare, or only at another position.
  package func undeclared(_ release: PlannedRelease) -> [Manifest.Key] {
    release.keySets.flatMap(\.keys).filter { needed in
      !policy.keys.contains { key in
        key.pin == needed.pin && key.manifestKeys.contains { $0.position == needed.position }
      }
    }
  }
}
