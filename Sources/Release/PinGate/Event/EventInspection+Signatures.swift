import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinValidator

extension EventInspection {
  /// Verifies the signatures of a draft and notes them; answers those that count.
  mutating func sort(
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
          if let commit = try withdrawn.commit(
            of: member.keyID, member.publicKey, over: found.digest, message)
          {
            standing = .withdrawn(commit: commit)
          } else {
            standing = .counts
            counting.append(signature)
          }
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
  private mutating func standing(
    of detached: DetachedSignature, by member: Keyring.Member, _ path: String, _ content: SignedContent,
    _ digest: SHA256Digest
  ) throws(WorkFailure) -> EventDraft.FoundSignature.Standing {
    guard detached.digest != digest else { return .wrong }
    if let other = try versions.current(detached.digest) { return .other(path: folder + other) }
    guard let earlier = try versions.earlier(detached.digest, of: path, content),
      try Self.fits(
        detached.signature, SignatureEnvelope.preAuthenticationEncoding(of: earlier.signed, as: content), member)
    else { return .unknown }
    return .earlier(commit: earlier.commit, changes: try versions.changes(since: earlier, of: path, content))
  }
}
