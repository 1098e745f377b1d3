import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules

/// What `pintle event status` found.
struct EventFacts {
  let status: EventStatus

  func json() -> String {
    Facts.text("event-status") { writer in
      writer.member("state", status.state)
      for (name, branch) in [("branch", status.branch), ("base", status.base)] {
        writer.object(name) { writer in
          writer.member("name", branch.name)
          writer.member("commit", branch.id)
        }
      }
      writer.member("missingCommits", status.missingCommits)
      writer.objects("drafts", status.drafts) { add($0, to: &$1) }
      writer.objects("owned", status.owned) { file, writer in
        writer.member("file", file.path)
        writer.array("reasons", file.reasons)
        writer.objects("approvals", file.approvals) { approval, writer in
          writer.member("source", approval.source)
          writer.array("owners", approval.owners)
          writer.member("draft", approval.draft)
          writer.array("by", approval.by)
          writer.array("unknown", approval.unknown)
        }
      }
      for (name, files) in [("finished", status.finished), ("strays", status.strays)] {
        writer.objects(name, files) { stray, writer in
          writer.member("file", stray.path)
          writer.member("reason", stray.reason)
        }
      }
      writer.objects("mixedCommits", status.commits) { commit, writer in
        writer.member("commit", commit.id)
        writer.member("author", commit.author)
        writer.member("what", commit.what)
      }
      writer.array("next", status.next)
    }
  }

  private func add(_ draft: EventDraft, to writer: inout JSONWriter) {
    writer.member("file", draft.path)
    writer.member("kind", draft.content == .manifest ? "manifest" : "keyset")
    writer.member("audience", draft.audience)
    writer.member(draft.content == .manifest ? "serial" : "keysetVersion", draft.number)
    writer.digest("digest", draft.digest)
    if let reason = draft.whyUnsafe { writer.member("whyUnsafe", reason) }
    writer.member("state", draft.state)
    if let rejection = draft.rejection { writer.rejection(rejection) }
    writer.objects("needed", draft.tallies) { tally, writer in
      writer.member("title", tally.title)
      writer.member("threshold", tally.threshold)
      writer.signers("signed", tally.members.filter(\.hasSigned).map { ($0.keyID, $0.name) })
      writer.signers("open", tally.members.filter { !$0.hasSigned }.map { ($0.keyID, $0.name) })
    }
    writer.objects("ignored", draft.signatures.filter { $0.standing != .counts }) { signature, writer in
      writer.signer(signature.keyID, name: signature.name)
      writer.digest("digest", signature.digest)
      switch signature.standing {
      case .counts, .stranger: writer.member("why", "stranger")
      case .wrong: writer.member("why", "wrong")
      case .withdrawn(let commit):
        writer.member("why", "withdrawn")
        writer.member("commit", commit)
      case .unknown: writer.member("why", "unknown-bytes")
      case .other(let path):
        writer.member("why", "other-draft")
        writer.member("draft", path)
      case .earlier(let commit, let changes):
        writer.member("why", "earlier-draft")
        writer.member("commit", commit)
        writer.array("changes", changes)
      }
    }
  }
}
