import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension EventInspection {
  /// Verifies the signatures of a draft and notes them; answers those that count.
  func sort(
    _ path: String, _ own: [SignatureEnvelope.Signature], _ message: [UInt8], among members: [Keyring.Member],
    named keyrings: [Keyring], _ found: inout EventDraft
  ) throws(WorkFailure) -> [SignatureEnvelope.Signature] {
    var counting: [SignatureEnvelope.Signature] = []
    var all = signatures[path] ?? []
    // A draft may have signatures in itself.
    for signature in own where !all.contains(where: { $0.signature.keyID == signature.keyID }) {
      all.append(DetachedSignature(signature, over: found.digest))
    }
    for detached in all.sorted(by: { $0.signature.keyID < $1.signature.keyID }) {
      let signature = detached.signature
      let standing: EventDraft.FoundSignature.Standing
      if let member = members.first(where: { $0.keyID == signature.keyID }) {
        if try Self.fits(signature, message, member) {
          standing = .counts
          counting.append(signature)
        } else {
          standing = try self.standing(of: detached, by: member, path, found.content, found.digest)
        }
      } else {
        standing = .stranger
      }
      found.signatures.append(
        EventDraft.FoundSignature(
          keyID: signature.keyID, name: keyrings.lazy.compactMap { $0[signature.keyID]?.name }.first,
          digest: detached.digest, standing: standing))
    }
    return counting
  }

  private static func fits(
    _ signature: SignatureEnvelope.Signature, _ message: [UInt8], _ member: Keyring.Member
  ) throws(WorkFailure) -> Bool {
    do { return try member.signed(message, signature.bytes) } catch { throw WorkFailure(.failed, error.message) }
  }

  /// What a signature is over that doesn't fit the draft.
  private func standing(
    of detached: DetachedSignature, by member: Keyring.Member, _ path: String, _ content: SignedContent,
    _ digest: SHA256Digest
  ) throws(WorkFailure) -> EventDraft.FoundSignature.Standing {
    guard detached.digest != digest else { return .wrong }
    for other in files where other.path != path {
      guard let signed = Self.signedBytes(of: other.bytes, content), try Self.digest(of: signed) == detached.digest
      else {
        continue
      }
      return .other(path: EventPath.folder + "/" + other.path)
    }
    let whole = EventPath.folder + "/" + path
    guard let current = files.first(where: { $0.path == path })?.bytes else { return .unknown }
    // The newest version first: commits are listed oldest first.
    for commit in sources.history.commits.reversed() where commit.changes.contains(where: { $0.path == whole }) {
      let event = try GitCommit(of: sources.directory, at: commit.id, folder: EventPath.folder)
      guard let old = try? event.regular(path, limit: InputFile.manifestLimit),
        let signed = Self.signedBytes(of: old, content), try Self.digest(of: signed) == detached.digest,
        try Self.fits(
          detached.signature, SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content), member)
      else { continue }
      return .earlier(commit: commit.id, changes: EventChanges.lines(from: old, to: current, content))
    }
    return .unknown
  }

  private static func signedBytes(of file: [UInt8], _ content: SignedContent) -> [UInt8]? {
    (try? SignatureEnvelope(draft: file, as: content)).map { Array(file[$0.signed]) }
  }

  private static func digest(of signed: [UInt8]) throws(WorkFailure) -> SHA256Digest {
    do { return try SHA256Digest.ofSigned(signed) } catch { throw WorkFailure(.failed, error.message) }
  }
}
