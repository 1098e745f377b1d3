import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// What a branch withdraws by its commits alone.
extension GateJudgement {
  /// A draft, or a draft whose signature it is.
  private struct Subject {
    var content: SignedContent
    var audience: String
    var number: Int64
    var signed: [UInt8]

    init?(_ bytes: [UInt8]) {
      if let file = try? SignableManifest(bytes) {
        (content, audience, number) = (.manifest, file.manifest.audience, file.manifest.serial)
        signed = file.signedBytes
      } else if let file = try? KeysetFile(reading: bytes) {
        (content, audience, number) = (.keyset, file.keyset.audience, file.keyset.version)
        signed = file.signed
      } else {
        return nil
      }
    }

    var text: String { EventDraft.subject(content, audience, number) }
  }

  /// Names each draft and signature that commits of the branch remove, and that the changed files don't show.
  ///
  /// As long as only the branch has these commits, it can be deleted. A merge makes them part of the base, unless it
  /// squashes them, and then the withdrawal is for good. A draft of a serial that is released, or of which the branch has
  /// another draft, is replaced: nobody waits for it.
  mutating func judgeHistory() throws(WorkFailure) {
    let own = Set(sources.history.commits.map(\.id))
    guard !own.isEmpty else { return }
    let shown = shownRemovals()
    var watched: [(path: String, text: String)] = []
    for (digest, removals) in withdrawn.drafts where !shown.digests.contains(digest) {
      guard let removal = removals.last(where: { own.contains($0.commit) }), let subject = subject(removal.content),
        try !isReplaced(subject, digest), try !isOnBase(removals.map(\.commit), own)
      else { continue }
      watched.append(
        (removal.path, withdrawal(of: "this draft, \(subject.text)", removal, "the draft can't be released")))
    }
    for (signature, all) in withdrawn.signatures
    where shown.signatures[signature] == nil && !shown.digests.contains(signature.digest)
      && all.contains(where: { own.contains($0.removal.commit) })
    {
      // Its draft is named already, or can't be released any more.
      let draft = withdrawn.drafts[signature.digest, default: []].map(\.commit)
      guard !draft.contains(where: own.contains), try !isOnBase(draft, own) else { continue }
      let subject = withdrawn.contents[signature.digest].flatMap(subject)
      var removals: [WithdrawnDrafts.Removal] = []
      for one in all where try isWithdrawal(one, of: signature.keyID, on: subject) { removals.append(one.removal) }
      guard let removal = removals.last(where: { own.contains($0.commit) }), try !isOnBase(removals.map(\.commit), own)
      else { continue }
      if let subject, try isReplaced(subject, signature.digest) { continue }
      let of = subject?.text ?? "sha256:\(signature.digest.hex)"
      let text = withdrawal(of: "this signature on \(of)", removal, "the signature doesn't count")
      watched.append((removal.path, text))
    }
    for one in watched.sorted(by: { ($0.path, $0.text) < ($1.path, $1.text) }) {
      result.verdicts.append(GateVerdict(path: one.path, outcome: .watched(one.text)))
    }
  }

  /// What the changed files show to be removed: it is in none of them any more.
  private func shownRemovals() -> WithdrawnDrafts.Content {
    var (before, after) = (WithdrawnDrafts.Content(), WithdrawnDrafts.Content())
    for (change, kind) in changes where kind.isSigned {
      if let previous = change.previous { before.add(WithdrawnDrafts.content(previous, of: sources.history)) }
      if let content = change.content { after.add(WithdrawnDrafts.content(content, of: sources.history)) }
    }
    before.digests.subtract(after.digests)
    before.signatures = before.signatures.filter { after.signatures[$0.key] != $0.value }
    return before
  }

  private func withdrawal(of what: String, _ removal: WithdrawnDrafts.Removal, _ cost: String) -> String {
    "the commit \(removal.commit.prefix(10)) removes or replaces \(what), which the changed files don't show. After the "
      + "merge, \(cost) any more. Ask those who sign it; or merge by squashing and delete the branch"
  }

  private func subject(_ content: String) -> Subject? {
    (try? sources.history.content(content, limit: InputFile.manifestLimit)).flatMap(Subject.init)
  }

  /// Whether what a commit removed was a valid signature, or may have been one: on a draft that no branch has.
  private func isWithdrawal(
    _ one: WithdrawnDrafts.RemovedSignature, of key: SHA256Digest, on subject: Subject?
  ) throws(WorkFailure) -> Bool {
    guard let subject else { return true }
    // A keyset that isn't on the base may make it a signer.
    guard let member = try walk(for: subject.audience)?.member(key) else { return true }
    let message = SignatureEnvelope.preAuthenticationEncoding(of: subject.signed, as: subject.content)
    return try one.isWithdrawal(by: member, message)
  }

  /// Whether the base has one of the commits, so that a merge changes nothing.
  private func isOnBase(_ commits: [String], _ own: Set<String>) throws(WorkFailure) -> Bool {
    for commit in commits where !own.contains(commit) {
      if try sources.isOnBase(commit) { return true }
    }
    return false
  }

  /// Whether the base or the branch has another one of the same or a higher number, or all signatures without those that
  /// were removed, or the number is withdrawn.
  private func isReplaced(_ one: Subject, _ digest: SHA256Digest) throws(WorkFailure) -> Bool {
    let drafts = result.signing.flatMap(\.drafts).filter {
      $0.rejection == nil && ($0.digest != digest || $0.state == .complete)
    }
    if drafts.contains(where: { ($0.content, $0.audience) == (one.content, one.audience) && $0.number >= one.number }) {
      return true
    }
    guard let newest = try walk(for: one.audience)?.newest else { return false }
    guard one.content == .manifest else { return newest.version >= one.number }
    let last = try releases(for: one.audience).line(under: newest).last?.loaded.serial ?? 0
    return last >= one.number || sources.withdrawn(for: one.audience).contains(one.number)
  }
}
