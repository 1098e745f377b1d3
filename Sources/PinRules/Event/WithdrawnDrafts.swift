import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// What a commit of any branch withdrew: drafts, releases that the base never had, and signatures.
///
/// A release isn't put together again from what is only left in the history, and needs no key for that. So what a commit
/// removes from the folders of files that people sign stays withdrawn, by the digest of what is signed, wherever a copy is.
/// A commit that adds the same bytes elsewhere in these folders moves or assembles them.
package struct WithdrawnDrafts {
  private struct Signature: Hashable {
    var keyID: SHA256Digest
    var digest: SHA256Digest
  }

  /// What files have, whatever their names.
  private struct Content {
    var digests: Set<SHA256Digest> = []
    var signatures: Set<Signature> = []

    mutating func add(_ bytes: [UInt8]) {
      // The envelope is the same of manifests and keysets.
      if let envelope = try? SignatureEnvelope(draft: bytes, as: .manifest),
        let digest = try? SHA256Digest.ofSigned(Array(bytes[envelope.signed]))
      {
        digests.insert(digest)
        signatures.formUnion(envelope.signatures.map { Signature(keyID: $0.keyID, digest: digest) })
      } else if bytes.count <= DetachedSignature.maximumBytes, let detached = try? DetachedSignature(reading: bytes) {
        signatures.insert(Signature(keyID: detached.signature.keyID, digest: detached.digest))
      }
    }
  }

  /// The commits, by the digest of what is signed of the draft.
  private(set) var drafts: [SHA256Digest: String] = [:]
  private var signatures: [Signature: String] = [:]

  /// The commit that removed a key's signature over some bytes; nil where none did.
  func commit(of keyID: SHA256Digest, over digest: SHA256Digest) -> String? {
    signatures[Signature(keyID: keyID, digest: digest)]
  }

  init(_ sources: EventSources) throws(WorkFailure) {
    // Branches have the same files in many commits.
    var known: [String: Content] = [:]
    func content(_ ids: [String?]) -> Content {
      ids.compactMap(\.self).reduce(into: Content()) { all, id in
        var one = known[id] ?? Content()
        if known[id] == nil, let bytes = try? sources.history.content(id, limit: InputFile.manifestLimit) {
          one.add(bytes)
        }
        known[id] = one
        all.digests.formUnion(one.digests)
        all.signatures.formUnion(one.signatures)
      }
    }
    let folders = [EventPath.folder, "released", "keysets"]
    for commit in try sources.history.changes(of: folders, directory: sources.directory) {
      guard commit.changes.contains(where: { $0.previous != nil }) else { continue }
      let before = content(commit.changes.map(\.previous))
      let after = content(commit.changes.map(\.content))
      for digest in before.digests.subtracting(after.digests) { drafts[digest] = commit.id }
      for signature in before.signatures.subtracting(after.signatures) where drafts[signature.digest] == nil {
        signatures[signature] = commit.id
      }
    }
  }

  /// The digest of what is signed of a manifest or a keyset; nil for anything else.
  static func digest(_ bytes: [UInt8]) -> SHA256Digest? {
    var content = Content()
    content.add(bytes)
    return content.digests.first
  }
}
