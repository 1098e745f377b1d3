package import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
import PinRelease

/// What a commit of any branch withdrew: drafts, releases that the base never had, and signatures.
///
/// A release isn't put together again from what is only left in the history, and needs no key for that. So what a commit
/// removes from the folders of files that people sign stays withdrawn, by the digest of what is signed, wherever a copy is.
/// A commit that adds the same bytes elsewhere in these folders moves or assembles them.
package struct WithdrawnDrafts {
  /// A signature is the same whatever its bytes: some keys sign differently each time.
  struct Signature: Hashable {
    var keyID: SHA256Digest
    var digest: SHA256Digest
  }

  /// What files have, whatever their names.
  struct Content {
    var digests: Set<SHA256Digest> = []
    /// As they are in the files: none is verified, and there may be several forged ones.
    var signatures: [Signature: Set<[UInt8]>] = [:]

    mutating func add(_ bytes: [UInt8]) {
      // The envelope is the same of manifests and keysets.
      if let envelope = try? SignatureEnvelope(draft: bytes, as: .manifest),
        let digest = try? SHA256Digest.ofSigned(Array(bytes[envelope.signed]))
      {
        digests.insert(digest)
        for one in envelope.signatures { add(one, over: digest) }
      } else if bytes.count <= DetachedSignature.maximumBytes, let detached = try? DetachedSignature(reading: bytes) {
        add(detached.signature, over: detached.digest)
      }
    }

    mutating func add(_ other: Content) {
      digests.formUnion(other.digests)
      signatures.merge(other.signatures) { $0.union($1) }
    }

    private mutating func add(_ one: SignatureEnvelope.Signature, over digest: SHA256Digest) {
      signatures[Signature(keyID: one.keyID, digest: digest), default: []].insert(one.bytes)
    }
  }

  /// A commit that removed something, and the file that had it.
  struct Removal {
    var commit: String
    var path: String
    /// The name of the file's content.
    var content: String
  }

  /// A removal of what says that it is a signature, with the bytes in the commit and before it.
  struct RemovedSignature {
    var removal: Removal
    var before: Set<[UInt8]>
    var after: Set<[UInt8]>

    /// Whether there was a valid signature, and there isn't one any more: nobody can withdraw what wasn't signed.
    func isWithdrawal(by publicKey: [UInt8], _ message: [UInt8]) throws(WorkFailure) -> Bool {
      guard try WithdrawnDrafts.isValid(before, by: publicKey, message) else { return false }
      return try !WithdrawnDrafts.isValid(after, by: publicKey, message)
    }
  }

  /// By the digest of what is signed of the draft; the newest last.
  private(set) var drafts: [SHA256Digest: [Removal]] = [:]
  private(set) var signatures: [Signature: [RemovedSignature]] = [:]
  /// The name of a content that has the draft.
  private(set) var contents: [SHA256Digest: String] = [:]
  /// What was ever committed as a signature, by the digest of its draft and its key; none is verified.
  private var seen: [SHA256Digest: [SHA256Digest: Set<[UInt8]>]] = [:]

  /// The commit that removed a key's signature on a draft; nil where none did.
  func commit(
    of keyID: SHA256Digest, _ publicKey: [UInt8], over digest: SHA256Digest, _ message: [UInt8]
  ) throws(WorkFailure) -> String? {
    for one in (signatures[Signature(keyID: keyID, digest: digest)] ?? []).reversed()
    where try one.isWithdrawal(by: publicKey, message) {
      return one.removal.commit
    }
    return nil
  }

  /// Whether a commit of any branch has, or had, a signature of one of some keys on a draft.
  func hasSeen(
    _ members: [Keyring.Member], over digest: SHA256Digest, _ message: [UInt8]
  ) throws(WorkFailure) -> Bool {
    guard let signatures = seen[digest] else { return false }
    for member in members {
      if try Self.isValid(signatures[member.keyID] ?? [], by: member.publicKey, message) { return true }
    }
    return false
  }

  /// Whether a commit has, or had, anything that is called a signature on a draft.
  func hasSeenAny(over digest: SHA256Digest) -> Bool { seen[digest] != nil }

  /// Whether one of what is called a key's signature is one.
  static func isValid(
    _ signatures: Set<[UInt8]>, by publicKey: [UInt8], _ message: [UInt8]
  ) throws(WorkFailure) -> Bool {
    guard !signatures.isEmpty else { return false }
    do throws(CryptoError) {
      let key = try PublicKey(subjectPublicKeyInfo: publicKey)
      for one in signatures where try key.isValid(signature: one, for: message) { return true }
      return false
    } catch {
      throw WorkFailure(.failed, error.message)
    }
  }

  init(_ sources: EventSources) throws(WorkFailure) {
    try self.init(sources.history, sources.directory, replacesBranch: sources.isBeforeCommit)
  }

  init(_ history: GitHistory, _ directory: String, replacesBranch: Bool) throws(WorkFailure) {
    // Branches have the same files in many commits.
    var known: [String: Content] = [:]
    func content(_ id: String?) -> Content {
      guard let id else { return Content() }
      if let content = known[id] { return content }
      let content = Self.content(id, of: history)
      known[id] = content
      for digest in content.digests { contents[digest] = id }
      for (signature, bytes) in content.signatures {
        seen[signature.digest, default: [:]][signature.keyID, default: []].formUnion(bytes)
      }
      return content
    }
    let folders = [EventPath.folder, "released", "keysets"]
    for commit in try history.changes(of: folders, directory: directory, replacesBranch: replacesBranch) {
      var (before, after) = (Content(), Content())
      var removals: [SHA256Digest: Removal] = [:]
      var removedSignatures: [Signature: Removal] = [:]
      for change in commit.changes {
        after.add(content(change.content))
        guard let previous = change.previous else { continue }
        let removal = Removal(commit: commit.id, path: change.path, content: previous)
        let one = content(previous)
        before.add(one)
        for digest in one.digests { removals[digest] = removal }
        for signature in one.signatures.keys { removedSignatures[signature] = removal }
      }
      for (digest, removal) in removals where !after.digests.contains(digest) {
        drafts[digest, default: []].append(removal)
      }
      for (signature, removal) in removedSignatures {
        let (old, new) = (before.signatures[signature] ?? [], after.signatures[signature] ?? [])
        guard old != new else { continue }
        signatures[signature, default: []].append(RemovedSignature(removal: removal, before: old, after: new))
      }
    }
  }

  /// What a file of a commit has; nothing where it can't be read.
  static func content(_ id: String, of history: GitHistory) -> Content {
    var content = Content()
    if let bytes = try? history.content(id, limit: InputFile.manifestLimit) { content.add(bytes) }
    return content
  }

  /// What the files of a folder have.
  static func content(of tree: RepositoryTree) -> Content {
    var content = Content()
    for file in tree.files {
      if let bytes = try? tree.regular(file.path, limit: InputFile.manifestLimit) { content.add(bytes) }
    }
    return content
  }

  /// The digest of what is signed of a manifest or a keyset; nil for anything else.
  static func digest(_ bytes: [UInt8]) -> SHA256Digest? {
    var content = Content()
    content.add(bytes)
    return content.digests.first
  }
}

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
