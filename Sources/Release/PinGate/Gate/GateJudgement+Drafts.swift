import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// What people sign.
extension GateJudgement {
  /// Judges the drafts of `event` and their signatures, as `pintle event status` does.
  mutating func judgeEvent() throws(WorkFailure) {
    let below = EventPath.folder + "/"
    let changed = changes.filter { $0.change.path.hasPrefix(below) }.map(\.change)
    for change in changed where change.isRemoved {
      // People who sign the draft later would not read why it isn't safe.
      if case .event(.reason(let draft)) = GatePath(change.path), sources.branch.event.kind(draft) != nil,
        !changed.contains(where: { $0.path == below + draft })
      {
        refuse(change.path, "it is removed without its draft, '\(below)\(draft)'", "Restore it.")
      } else {
        allow(change.path, "removed from the signing event")
      }
    }
    let present = changed.filter { !$0.isRemoved }.map(\.path)
    guard !present.isEmpty else { return }
    let status = try EventInspection.status(of: sources, at: instant, withdrawn)
    result.signing.append(status)
    let strays = Dictionary(status.strays.map { ($0.path, $0) }) { first, _ in first }
    for left in status.finished {
      let added = present.filter { $0 == left.path || $0.hasPrefix(left.path + "/") }
      for path in added { refuse(path, left.reason, "Remove it: nobody has to sign it.") }
      if added.isEmpty { allow(left.path, "\(left.reason), so it is finished: remove it") }
    }
    for path in present where !status.finished.contains(where: { $0.path == path || path.hasPrefix($0.path + "/") }) {
      // The signatures of a draft are named by their folder.
      if let stray = strays[path] ?? strays[path.split(separator: "/").dropLast().joined(separator: "/")] {
        let rename = stray.target.map {
          "Rename '\(stray.path)' to '\($0)', in one commit with all that belongs to the draft."
        }
        refuse(path, stray.reason, rename ?? "Remove it.")
      } else if let draft = status.drafts.first(where: { $0.path == path }) {
        let next =
          draft.file.map { "and assembled as '\($0)': remove the draft after the merge" }
          ?? "and not yet assembled: run 'pintle event assemble' before you merge"
        let skipped = draft.skipped.map { "; " + $0 } ?? ""
        add(verdict(on: draft, in: status, complete: "a draft that has all signatures, \(next)\(skipped)"))
      } else if case .event(.signature(let draft, let key)) = GatePath(path),
        let signed = status.drafts.first(where: { $0.path == below + draft })
      {
        guard signed.signatures.first(where: { $0.keyID == key })?.standing != .wrong else {
          refuse(path, "the signature isn't valid for these bytes", "Take it back: only its key can make it.")
          continue
        }
        allow(path, "a signature on \(below)\(draft)")
      } else if case .event(.reason(let draft)) = GatePath(path),
        status.drafts.contains(where: { $0.path == below + draft })
      {
        allow(path, "the reason given for an unsafe release, \(below)\(draft)")
      } else {
        refuse(path, "no draft in '\(EventPath.folder)' belongs to this file by its name", "Remove it.")
      }
    }
  }

  /// Judges files that the branch adds for clients.
  mutating func judgeAdded(_ files: [EventInspection.DraftFile]) throws(WorkFailure) {
    let (status, policies) = try EventInspection.status(ofAdded: files, in: sources, at: instant, withdrawn)
    result.signing.append(status)
    let texts = try sources.policies(at: sources.branch).map(\.texts)
    addedPolicies = policies.filter { !texts.contains($0.texts) }.map(\.loaded)
    let strays = Dictionary(status.strays.map { ($0.path, $0.reason) }) { first, _ in first }
    for (path, kind, _) in files {
      if let reason = strays[path] {
        refuse(path, reason, "Release one after the other, each in a pull request of its own.")
      } else if let draft = status.drafts.first(where: { $0.path == path }) {
        let signers = draft.signatures.filter { $0.standing == .counts }.compactMap(\.name).joined(separator: ", ")
        let what = kind == .keyset ? "the next keyset" : "a release"
        let skipped = draft.skipped.map { "; " + $0 } ?? ""
        add(verdict(on: draft, in: status, complete: "\(what), \(draft.subject), signed by \(signers)\(skipped)"))
      } else {
        refuse(path, "it wasn't judged", "Remove it.")
      }
    }
  }

  /// Judges that the policy drops audiences that have releases: no later release says it, so it is approved here.
  mutating func judgeDropped() throws(WorkFailure) {
    guard try !sources.droppedAudiences().isEmpty else { return }
    if result.signing.isEmpty {
      result.signing.append(try EventInspection.status(ofAdded: [], in: sources, at: instant, withdrawn).status)
    }
    var judged: Set<String> = []
    for status in result.signing {
      for audience in status.dropped where judged.insert(audience.name).inserted {
        guard audience.rejection == nil else {
          refuse("policies", audience.reason, "Or keep the audience.")
          continue
        }
        let missing = status.owned.flatMap { file in
          file.approvals.filter { $0.gone == audience.name && $0.by.isEmpty }.map { "\(file.path): \($0.words)" }
        }
        let all = ([audience.reason] + missing).joined(separator: "; ")
        add(GateVerdict(path: "policies", outcome: missing.isEmpty ? .allowed(all) : .unsigned(all)))
      }
    }
  }

  private func verdict(on draft: EventDraft, in status: EventStatus, complete: String) -> GateVerdict {
    if let rejection = draft.rejection, let reason = draft.reason {
      let help = rejection.help ?? "Build it again, and have it signed."
      return GateVerdict(path: draft.path, outcome: .refused(reason, help: help))
    }
    var missing = draft.tallies.filter { $0.missing > 0 }.map { "\($0.title): \($0.standing)" }
    if draft.content == .manifest {
      for file in status.owned {
        missing += file.approvals.filter { $0.by.isEmpty }.map { "\(file.path): \($0.words)" }
      }
    }
    if missing.isEmpty, draft.assembled == nil {
      missing.append("it has enough signatures, but clients would not accept the assembled file")
    }
    return GateVerdict(
      path: draft.path,
      outcome: missing.isEmpty ? .allowed(complete) : .unsigned(missing.joined(separator: "; ")))
  }

  private mutating func add(_ verdict: GateVerdict) { result.verdicts.append(verdict) }
}
