import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// Which drafts come first in a report: anybody who can push can add a thousand that nobody has signed.
extension GateJudgement {
  /// Finds the drafts of the event that somebody has signed whom the base's keysets name.
  mutating func rankEvent() throws(WorkFailure) {
    let below = EventPath.folder + "/"
    for (index, verdict) in result.verdicts.enumerated()
    where verdict.rank == .changed && verdict.path.hasPrefix(below) {
      let name = String(verdict.path.dropFirst(below.count))
      guard let bytes = try? sources.branch.event.regular(name, limit: InputFile.manifestLimit),
        let digest = WithdrawnDrafts.digest(bytes), withdrawn.hasSeenAny(over: digest),
        let subject = SignedSubject(bytes), try rank(of: subject, digest) == .signed
      else { continue }
      result.verdicts[index].rank = .signed
    }
  }

  /// The rank of a draft that the changed files don't show.
  mutating func rank(of subject: SignedSubject, _ digest: SHA256Digest) throws(WorkFailure) -> GateVerdict.Rank {
    if members[subject.audience] == nil {
      let steps = try walk(for: subject.audience)?.steps ?? []
      members[subject.audience] = Array(Set(steps.flatMap { (try? Keyring($0.trusted.keyset))?.members ?? [] }))
    }
    return try withdrawn.hasSeen(members[subject.audience] ?? [], over: digest, subject.message) ? .signed : .unseen
  }
}
