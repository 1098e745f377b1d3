package import Diagnostics
package import PinFormat
import PinPolicy
import PinRelease

/// What isn't signed again.
extension WithdrawnDrafts {
  /// A key that signs, with what messages call it.
  package typealias NamedKey = (name: String, id: SHA256Digest, publicKey: [UInt8])

  /// What commits withdrew in the repository of a draft on disk.
  ///
  /// Nil unless it is in the folder `event` of a repository: elsewhere there is no history.
  ///
  /// - Parameter path: The draft.
  /// - Throws: ``WorkFailure`` where git can't list the commits.
  package init?(besides path: String) throws(WorkFailure) {
    let end = path.lastIndex(of: "/")
    let folder = end.map { String(path[...$0]) } ?? "./"
    // The folder needn't be committed.
    guard let place = try? GitCommit(of: folder, at: "HEAD", folder: ".") else { return nil }
    let parts = place.path.split(separator: "/").dropLast()
    guard let index = parts.lastIndex(where: { $0 == EventPath.folder }) else { return nil }
    let repository = folder + String(repeating: "../", count: parts.count - index)
    let history = GitHistory(at: try GitCommit(of: repository, at: "HEAD"))
    try self.init(history, repository, replacesBranch: false)
  }

  /// Refuses a draft that a commit withdrew, before somebody signs it.
  ///
  /// - Parameters:
  ///   - subject: The draft.
  ///   - digest: The digest of what is signed of it.
  ///   - path: Its file.
  /// - Throws: ``WorkFailure`` with the commit.
  package func refuse(_ subject: SignedSubject, _ digest: SHA256Digest, at path: String) throws(WorkFailure) {
    guard let commit = drafts[digest]?.last?.commit else { return }
    throw WorkFailure(
      .refused,
      "not signed: the commit \(commit.prefix(10)) removed or replaced '\(VisibleText.of(path))', and so withdrew it",
      help: Self.help(for: subject, after: commit))
  }

  /// Refuses signatures of keys whose signatures on the draft a commit withdrew, before they are written.
  ///
  /// - Parameters:
  ///   - subject: The draft.
  ///   - digest: The digest of what is signed of it.
  ///   - keys: The keys that have signed it now.
  /// - Throws: ``WorkFailure`` with the commit.
  package func refuse(
    _ subject: SignedSubject, _ digest: SHA256Digest, signedBy keys: [NamedKey]
  ) throws(WorkFailure) {
    for (name, id, publicKey) in keys {
      guard let commit = try commit(of: id, publicKey, over: digest, subject.message) else { continue }
      throw WorkFailure(
        .refused,
        "not signed: the commit \(commit.prefix(10)) withdrew the signature of \(name) on this draft, so it doesn't count "
          + "any more",
        help: Self.help(for: subject, after: commit))
    }
  }

  /// The keys of some whose signatures on the draft no commit withdrew.
  package func counting(
    _ keys: [NamedKey], _ subject: SignedSubject, _ digest: SHA256Digest
  ) throws(WorkFailure) -> [SHA256Digest] {
    var counting: [SHA256Digest] = []
    for (_, id, publicKey) in keys where try commit(of: id, publicKey, over: digest, subject.message) == nil {
      counting.append(id)
    }
    return counting
  }

  /// What to do once a commit has withdrawn a draft or a signature on it; `next` is the next draft's serial, if known.
  static func help(for subject: SignedSubject, next: Int64? = nil, after commit: String) -> String {
    let again =
      subject.content == .manifest
      ? "Build it again with \(next.map { "the next serial: --serial \($0)" } ?? "a higher serial")."
      : "Make version \(subject.number) again, with another --issued-at, because no version can be skipped."
    return "\(again) If it was a mistake, delete the branches that have the commit: 'git branch --all --contains "
      + "\(commit.prefix(10))' lists them; then run git fetch --prune. If the base has it, only a new draft helps."
  }
}
