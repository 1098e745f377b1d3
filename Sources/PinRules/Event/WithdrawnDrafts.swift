import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// What the commits of a branch withdraw: drafts that they replace or remove, and signatures that they remove.
///
/// A release isn't put together again from what is only left in the history, and needs no key for that. A commit that
/// removes a draft and adds its release assembles it.
package struct WithdrawnDrafts {
  private struct Signature: Hashable {
    var keyID: SHA256Digest
    var digest: SHA256Digest
  }

  /// The commits, by the digest of what is signed of the draft.
  private(set) var drafts: [SHA256Digest: String] = [:]
  private var signatures: [Signature: String] = [:]

  /// The commit that removed a key's signature over some bytes; nil where none did.
  func commit(of keyID: SHA256Digest, over digest: SHA256Digest) -> String? {
    signatures[Signature(keyID: keyID, digest: digest)]
  }

  init(_ sources: EventSources) {
    // What is there now, by path.
    var current: [String: SHA256Digest] = [:]
    var signed: [String: Signature] = [:]
    let before = sources.base.event
    for file in before.files {
      guard let kind = EventPath(file.path), let bytes = try? before.regular(file.path, limit: InputFile.manifestLimit)
      else { continue }
      if case .signature = kind {
        signed[file.path] = Self.signature(bytes)
      } else {
        current[file.path] = Self.digest(bytes)
      }
    }
    func read(_ change: GitHistory.Change) -> [UInt8]? {
      change.content.flatMap { try? sources.history.content($0, limit: InputFile.manifestLimit) }
    }
    let below = EventPath.folder + "/"
    for commit in sources.history.commits {
      var replaced: [SHA256Digest] = []
      var removed: [SHA256Digest] = []
      var unsigned: [(draft: String, signature: Signature)] = []
      for change in commit.changes where change.path.hasPrefix(below) {
        let path = String(change.path.dropFirst(below.count))
        switch EventPath(path) {
        case nil: continue
        case .signature(let draft, _)?:
          let new = read(change).flatMap(Self.signature)
          if let old = signed[path], old != new { unsigned.append((draft, old)) }
          signed[path] = new
        case .manifest?, .keyset?:
          let new = read(change).flatMap(Self.digest)
          if let old = current[path], old != new {
            if new == nil { removed.append(old) } else { replaced.append(old) }
          }
          current[path] = new
        }
      }
      guard !replaced.isEmpty || !removed.isEmpty || !unsigned.isEmpty else { continue }
      // A draft may be moved to another name.
      let there = Set(current.values)
      var gone = replaced
      if !removed.isEmpty {
        let assembled = commit.changes.filter { ["released/", "keysets/"].contains(where: $0.path.hasPrefix) }
        let digests = Set(assembled.compactMap { read($0).flatMap(Self.digest) })
        gone += removed.filter { !digests.contains($0) }
      }
      for digest in gone where !there.contains(digest) { drafts[digest] = commit.id }
      for (draft, signature) in unsigned where current[draft] == signature.digest { signatures[signature] = commit.id }
    }
  }

  private static func signature(_ bytes: [UInt8]) -> Signature? {
    guard bytes.count <= DetachedSignature.maximumBytes, let detached = try? DetachedSignature(reading: bytes) else {
      return nil
    }
    return Signature(keyID: detached.signature.keyID, digest: detached.digest)
  }

  /// The digest of what is signed of a manifest or a keyset; nil for anything else.
  static func digest(_ bytes: [UInt8]) -> SHA256Digest? {
    // The envelope is the same of both.
    guard let envelope = try? SignatureEnvelope(draft: bytes, as: .manifest) else { return nil }
    return try? SHA256Digest.ofSigned(Array(bytes[envelope.signed]))
  }
}
