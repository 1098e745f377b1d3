import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinStudies

/// A signing event as people read it in a terminal.
package struct SigningEventText {
  private let status: EventStatus

  package init(_ status: EventStatus) {
    self.status = status
  }

  package func text() -> String {
    let name = VisibleText.of(status.branch.name)
    var text = "signing event \(name): \(status.headline)\n"
    text += "  commit \(status.branch.short), compared with \(VisibleText.of(status.base.name)) \(status.base.short)\n"
    text += drafts()
    text += Self.section("finished, and can be removed", status.finished.map { "\($0.path): \($0.reason)" })
    text += Self.section("audiences without a further release", status.dropped.map(\.reason))
    text += Self.section("files to remove or restore", status.strays.map { "\($0.path): \($0.reason)" })
    text += Self.section(
      "commits that do more than one thing", status.commits.map { "\($0.id.prefix(10)) by '\($0.author)' \($0.what)" })
    text += Self.section("next", status.next)
    return text
  }

  /// The drafts, who has signed them, and the owners who must.
  func drafts() -> String {
    status.drafts.map { "\n" + Self.text(of: $0) }.joined()
      + (status.owned.isEmpty ? "" : "\nowners\n" + status.owned.map(Self.text).joined())
  }

  /// The first lines of a section, and how many more there are.
  private static func section(_ title: String, _ lines: [String], most: Int = 50) -> String {
    guard !lines.isEmpty else { return "" }
    let more = lines.count > most ? "  and \(lines.count - most) more\n" : ""
    return "\n\(title)\n" + lines.prefix(most).map { "  \(VisibleText.of($0))\n" }.joined() + more
  }

  private static func text(of draft: EventDraft) -> String {
    var text = "\(draft.path): \(VisibleText.of(draft.subject))\n  \(VisibleText.of(draft.summary))\n"
    text += "  signed bytes  sha256:\(draft.digest.hex)\n"
    if let reason = draft.whyUnsafe { text += "  \(EventDraft.unsafeTitle): \(VisibleText.of(reason))\n" }
    if let rejection = draft.rejection, let reason = draft.reason {
      text += "  REJECTED: \(VisibleText.of(reason))\n"
      if let help = rejection.help { text += "    \(VisibleText.of(help))\n" }
      text += (rejection.details ?? "").split(separator: "\n").map { "    \(VisibleText.of(String($0)))\n" }
        .joined()
    }
    for tally in draft.tallies {
      text += "  \(tally.title): \(tally.standing)\n"
      var table = Table()
      for member in tally.members {
        table.add(VisibleText.of(member.name), member.hasSigned ? "has signed" : "not yet", member.keyID.hex)
      }
      text += table.text(indent: 4)
    }
    for signature in draft.signatures where signature.standing != .counts {
      text += "  doesn't count: \(VisibleText.of(signature.words))\n"
      text += signature.changes.map { "    \(VisibleText.of($0))\n" }.joined()
    }
    return text
  }

  private static func text(of file: OwnedFile) -> String {
    var text = "  \(VisibleText.of(file.path)): \(VisibleText.of(file.why))\n"
    for approval in file.approvals { text += "    \(VisibleText.of(approval.words))\n" }
    return text
  }
}

extension EventDraft {
  /// What heads the reason of an unsafe draft.
  package static let unsafeTitle = "reason given for an unsafe release (nobody signed it)"
}

extension EventDraft.Tally {
  /// `1 of 2 needed, 1 more of bob, carol`.
  var standing: String {
    guard missing > 0 else { return "enough, \(threshold) \(threshold == 1 ? "is" : "are") needed" }
    let open = members.filter { !$0.hasSigned }.map(\.name)
    return "\(threshold - missing) of \(threshold) needed, \(missing) more of \(open.joined(separator: ", "))"
  }
}

extension EventDraft.FoundSignature {
  private var whose: String { name.map { "\($0) (\(keyID.hex))" } ?? "the key \(keyID.hex)" }

  /// Whose it is, and why it counts for nothing.
  var words: String {
    switch standing {
    case .counts: "\(whose) has signed"
    case .stranger: "\(whose): the keyset doesn't allow this key to sign this"
    case .wrong: "\(whose): the signature doesn't fit the signed bytes: one of them was changed"
    case .withdrawn(let commit):
      "\(whose): the commit \(commit.prefix(10)) withdrew the signature, so it doesn't count any more; a new draft can be signed"
    case .other(let path): "\(whose): the signature is on \(path)"
    case .unknown: "\(whose): the signature is over sha256:\(digest.hex), which this branch never had"
    case .earlier(let commit, _):
      "\(whose): the signature is over sha256:\(digest.hex), the draft of commit \(commit.prefix(10)); changed since:"
    }
  }

  /// What is different since.
  var changes: [String] {
    if case .earlier(_, let changes) = standing { changes } else { [] }
  }
}

extension EventStatus.DroppedAudience {
  /// What it means for its clients, and why it can't be approved.
  var reason: String {
    "the policy drops the audience '\(name)': its clients keep \(last.name), which expires \(last.manifest.expires)"
      + (rejection.map { "; \($0.message). \($0.help ?? "")" } ?? "")
  }
}

extension OwnedFile {
  /// What changes, in a few words.
  var why: String {
    let shown = reasons.prefix(reasons.count > 4 ? 3 : 4)
    let more = reasons.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

extension OwnedFile.Approval {
  /// Who must sign what, and who has.
  var words: String {
    let whom = owners.count == 1 ? owners[0] : "one of \(owners.joined(separator: ", "))"
    let word = " (owner\(owners.count == 1 ? "" : "s") in the policy of \(source))"
    guard let draft else {
      let what = gone == nil ? "the change" : "the digest of the policy without the audience"
      return "\(whom) must sign\(word), and no draft has \(what): build one"
    }
    guard by.isEmpty else { return "\(by.joined(separator: ", ")) has signed \(draft)\(word)" }
    let lost: String
    switch (unknown.count == owners.count, gone) {
    case (false, _): lost = ""
    case (true, nil):
      lost =
        "; none is a signer of the keyset, so first give a signer that name: "
        + "'pintle keyset next KEYSET -o NEXT.json --expires DATE --add-signer NAME=FILE'"
    case (true, let gone?):
      lost =
        "; the file goes with '\(gone)', and no owner's key there signs for an audience that stays: name another owner "
        + "first, in an event of its own"
    }
    return "MISSING: \(whom) must sign \(draft)\(word)\(lost)"
  }
}
