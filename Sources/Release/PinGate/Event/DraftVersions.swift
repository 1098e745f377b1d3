import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease

/// The versions of an event's drafts, by the digest of what is signed of them; each is read once, when it is asked for.
struct DraftVersions {
  /// What a draft was at a commit.
  struct Earlier {
    var commit: String
    /// The file.
    var bytes: [UInt8]
    /// What is signed of it.
    var signed: [UInt8]
    fileprivate var digest: SHA256Digest
  }

  private struct Version: Hashable {
    var path: String
    var digest: SHA256Digest
  }

  private let sources: EventSources
  private let files: [EventInspection.DraftFile]
  /// Where the drafts are, as the branch has them now.
  private var paths: [SHA256Digest: String]?
  /// The newest commits that have the versions, and the names of the contents; bytes aren't kept, since a long branch has
  /// many.
  private var earlier: [Version: (commit: String, content: String)] = [:]
  /// The drafts whose commits were read.
  private var known: Set<String> = []
  private var differences: [Version: [String]] = [:]

  init(_ sources: EventSources, _ files: [EventInspection.DraftFile]) {
    (self.sources, self.files) = (sources, files)
  }

  /// Where the branch has a draft whose signed bytes have a digest.
  mutating func current(_ digest: SHA256Digest) throws(WorkFailure) -> String? {
    if let paths { return paths[digest] }
    var found: [SHA256Digest: String] = [:]
    for file in files {
      guard let signed = Self.signedBytes(of: file.bytes, file.kind == .keyset ? .keyset : .manifest) else { continue }
      found[try Self.digest(of: signed)] = file.path
    }
    paths = found
    return found[digest]
  }

  /// Finds the newest version of a draft whose signed bytes have a digest.
  mutating func earlier(
    _ digest: SHA256Digest, of path: String, _ content: SignedContent
  ) throws(WorkFailure) -> Earlier? {
    if known.insert(path).inserted {
      let whole = EventPath.folder + "/" + path
      // Commits are listed oldest first, so the newest is what stays.
      for commit in sources.history.commits {
        for change in commit.changes where change.path == whole {
          guard let id = change.content, let version = try read(id, content, of: commit.id) else { continue }
          earlier[Version(path: path, digest: version.digest)] = (commit.id, id)
        }
      }
    }
    guard let (commit, id) = earlier[Version(path: path, digest: digest)] else { return nil }
    return try read(id, content, of: commit)
  }

  /// What the branch's draft changes of a version, in the words of `diff`.
  mutating func changes(
    since earlier: Earlier, of path: String, _ content: SignedContent
  ) throws(WorkFailure) -> [String] {
    let version = Version(path: path, digest: earlier.digest)
    if let known = differences[version] { return known }
    let now = files.first { $0.path == path }?.bytes ?? []
    let lines = EventChanges.lines(from: earlier.bytes, to: now, content)
    differences[version] = lines
    return lines
  }

  /// Nil where the content isn't a draft.
  private func read(_ id: String, _ content: SignedContent, of commit: String) throws(WorkFailure) -> Earlier? {
    guard let bytes = try? sources.history.content(id, limit: InputFile.manifestLimit),
      let signed = Self.signedBytes(of: bytes, content)
    else { return nil }
    return Earlier(commit: commit, bytes: bytes, signed: signed, digest: try Self.digest(of: signed))
  }

  private static func signedBytes(of file: [UInt8], _ content: SignedContent) -> [UInt8]? {
    (try? SignatureEnvelope(draft: file, as: content)).map { Array(file[$0.signed]) }
  }

  private static func digest(of signed: [UInt8]) throws(WorkFailure) -> SHA256Digest {
    do { return try SHA256Digest.ofSigned(signed) } catch { throw WorkFailure(.failed, error.message) }
  }
}
