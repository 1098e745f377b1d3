import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// What a branch withdraws by its commits alone.
extension GateJudgement {
  /// Names each draft and signature that commits of the branch remove, and that the changed files don't show.
  ///
  /// As long as only the branch has these commits, it can be deleted. A merge makes them part of the base, unless it
  /// squashes them, and then the withdrawal is for good. A draft of a serial that is released, or of which the branch has
  /// another draft, is replaced: nobody waits for it.
  mutating func judgeHistory() throws(WorkFailure) {
    let own = Set(sources.history.commits.map(\.id))
    guard !own.isEmpty else { return }
    let shown = shownRemovals()
    try judgeRemovals(shown)
    var watched: [(path: String, text: String, rank: GateVerdict.Rank)] = []
    for (digest, removals) in withdrawn.drafts where !shown.digests.contains(digest) {
      guard let removal = removals.last(where: { own.contains($0.commit) }), let subject = subject(removal.content),
        try !isReplaced(subject, digest), try !isOnBase(removals.map(\.commit), own)
      else { continue }
      watched.append(
        (
          removal.path, withdrawal(of: "this draft, \(subject.text)", removal, "the draft can't be released"),
          try rank(of: subject, digest)
        ))
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
      var found = GateVerdict.Rank.unseen
      if let subject { found = try rank(of: subject, signature.digest) }
      watched.append((removal.path, text, found))
    }
    for one in watched.sorted(by: { ($0.path, $0.text) < ($1.path, $1.text) }) {
      result.verdicts.append(GateVerdict(path: one.path, outcome: .watched(one.text), rank: one.rank))
    }
  }

  /// Names each draft of the base's event that has enough signatures and that the changed files remove or replace, and
  /// each signature on it: anybody could have released it.
  private mutating func judgeRemovals(_ shown: WithdrawnDrafts.Content) throws(WorkFailure) {
    var base: WithdrawnDrafts.Content?
    for (change, kind) in changes {
      guard case .event = kind, let previous = change.previous else { continue }
      let content = WithdrawnDrafts.content(previous, of: sources.history)
      let drafts = content.digests.filter(shown.digests.contains)
      let signature = content.signatures.keys.first { shown.signatures[$0] != nil }
      guard let digest = drafts.first ?? signature?.digest, drafts.count == 1 || !shown.digests.contains(digest),
        let subject = withdrawn.contents[digest].flatMap(subject), try !isReplaced(subject, digest)
      else { continue }
      if drafts.isEmpty, let signature {
        // What isn't valid counts for nothing.
        guard let member = try walk(for: subject.audience)?.member(signature.keyID),
          try WithdrawnDrafts.isValid(content.signatures[signature] ?? [], by: member.publicKey, subject.message)
        else { continue }
      }
      let event = base ?? WithdrawnDrafts.content(of: sources.base.event)
      base = event
      guard try isComplete(subject, digest, event) else { continue }
      let what =
        drafts.isEmpty
        ? "this signature is on a draft that has enough of them, \(subject.text)"
        : "this draft, \(subject.text), has enough signatures"
      let text =
        "\(what), and the branch removes or replaces it. After the merge, it "
        + "\(drafts.isEmpty ? "doesn't count" : "can't be released") any more. Ask those who signed the draft"
      result.verdicts.removeAll { one in
        if case .allowed = one.outcome { one.path == change.path } else { false }
      }
      result.verdicts.append(GateVerdict(path: change.path, outcome: .watched(text), rank: .signed))
    }
  }

  /// Whether a draft has enough signatures of the base's newest keyset, and a keyset those of its own roots too.
  private func isComplete(
    _ subject: SignedSubject, _ digest: SHA256Digest, _ event: WithdrawnDrafts.Content
  ) throws(WorkFailure) -> Bool {
    guard let newest = try walk(for: subject.audience)?.newest.keyset else { return false }
    let keysets = [newest] + (subject.keyset.map { [$0] } ?? [])
    for keyset in keysets {
      let isKeyset = subject.content == .keyset
      var open = isKeyset ? keyset.roots.threshold : keyset.signers.threshold
      for member in (try? Keyring(keyset))?.members ?? [] where isKeyset ? member.isRoot : member.isSigner {
        let signatures = event.signatures[WithdrawnDrafts.Signature(keyID: member.keyID, digest: digest)] ?? []
        if try WithdrawnDrafts.isValid(signatures, by: member.publicKey, subject.message) { open -= 1 }
      }
      guard open <= 0 else { return false }
    }
    return true
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

  private func subject(_ content: String) -> SignedSubject? {
    (try? sources.history.content(content, limit: InputFile.manifestLimit)).flatMap { SignedSubject($0) }
  }

  /// Whether what a commit removed was a valid signature, or may have been one: on a draft that no branch has.
  private func isWithdrawal(
    _ one: WithdrawnDrafts.RemovedSignature, of key: SHA256Digest, on subject: SignedSubject?
  ) throws(WorkFailure) -> Bool {
    guard let subject else { return true }
    // A keyset that isn't on the base may make it a signer.
    guard let member = try walk(for: subject.audience)?.member(key) else { return true }
    return try one.isWithdrawal(by: member.publicKey, subject.message)
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
  private func isReplaced(_ one: SignedSubject, _ digest: SHA256Digest) throws(WorkFailure) -> Bool {
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
