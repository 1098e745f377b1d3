import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// A signing event as a comment on a pull request; none of what others wrote becomes markup.
package struct SigningEventMarkdown {
  private let status: EventStatus
  /// GitHub refuses a comment of more than 65,536 characters.
  private let limit: Int

  package init(_ status: EventStatus, limit: Int = 60_000) {
    (self.status, self.limit) = (status, limit)
  }

  package func text() -> String {
    var parts = [
      "### pintle event: \(Markdown.escaped(status.headline))\n\nCommit \(Markdown.code(status.branch.short)), compared "
        + "with \(Markdown.code(status.base.name)) \(Markdown.code(status.base.short)).\n"
    ]
    if !status.next.isEmpty {
      parts.append("\n**Next**\n\n" + status.next.map { "- \(Markdown.code($0))\n" }.joined())
    }
    for draft in status.drafts { parts += Self.parts(of: draft) }
    parts += status.owned.map { file in
      "\n**\(Markdown.escaped(file.path))** changes: \(Markdown.escaped(file.why))\n\n"
        + file.approvals.map { "- \(Markdown.escaped($0.words))\n" }.joined()
    }
    parts.append(
      Self.list("Audiences without a further release", status.dropped.map { Markdown.escaped($0.reason) }))
    parts.append(
      Self.list(
        "Finished, and can be removed",
        status.finished.map { "\(Markdown.code($0.path)): \(Markdown.escaped($0.reason))" }))
    parts.append(
      Self.list(
        "Files to remove or restore", status.strays.map { "\(Markdown.code($0.path)): \(Markdown.escaped($0.reason))" })
    )
    parts.append(
      Self.list(
        "Commits that do more than one thing",
        status.commits.map {
          "\(Markdown.code(String($0.id.prefix(10)))) by \(Markdown.code($0.author)) \(Markdown.escaped($0.what))"
        }))
    var text = ""
    for (number, part) in parts.enumerated() {
      guard text.utf8.count + part.utf8.count <= limit else {
        return text + "\nand \(parts.count - number) more parts: run 'pintle event status'\n"
      }
      text += part
    }
    return text
  }

  private static func parts(of draft: EventDraft) -> [String] {
    var head = "\n#### \(Markdown.code(draft.path)): \(Markdown.escaped(draft.subject))\n\n"
    head += "\(Markdown.escaped(draft.summary))  \nSigned bytes \(Markdown.code("sha256:" + draft.digest.hex))\n"
    if let reason = draft.whyUnsafe { head += "\n**\(EventDraft.unsafeTitle)** \(Markdown.escaped(reason))\n" }
    if let rejection = draft.rejection, let reason = draft.reason {
      head += "\n**Rejected**: \(Markdown.escaped(reason)). \(Markdown.escaped(rejection.help ?? ""))\n"
    }
    var parts = [head]
    for tally in draft.tallies {
      parts.append(
        "\n\(Markdown.escaped(tally.title)): \(Markdown.escaped(tally.standing))\n\n| Signer | Signed | Key |\n|---|---|---|\n"
          + tally.members.map {
            "| \(Markdown.escaped($0.name)) | \($0.hasSigned ? "yes" : "**not yet**") | \(Markdown.code($0.keyID.hex)) |\n"
          }.joined())
    }
    for signature in draft.signatures where signature.standing != .counts {
      let changes = signature.changes.prefix(50).map { "  - \(Markdown.escaped(cut($0)))\n" }
      let rest = signature.changes.count - changes.count
      parts.append(
        "\n- Doesn't count: \(Markdown.escaped(signature.words))\n" + changes.joined()
          + (rest > 0 ? "  - and \(rest) more\n" : ""))
    }
    return parts
  }

  private static func list(_ title: String, _ items: [String]) -> String {
    guard !items.isEmpty else { return "" }
    let rest = items.count > 20 ? "- and \(items.count - 20) more\n" : ""
    return "\n**\(title)**\n\n" + items.prefix(20).map { "- \($0)\n" }.joined() + rest
  }

  private static func cut(_ text: String) -> String {
    text.unicodeScalars.count > 400 ? String(text.prefix(400)) + "…" : text
  }
}
