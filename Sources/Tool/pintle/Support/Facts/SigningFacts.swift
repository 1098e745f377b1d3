import Diagnostics
import OpenSSLKit
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies

/// What `pintle sign` showed, and what it signed.
struct SigningFacts {
  let review: SigningReview
  let signed: SignedManifest
  /// Where the signed manifest is.
  let output: String

  func json() -> String {
    Facts.text("sign") { writer in
      writer.member("file", output)
      writer.digest("digest", review.file.digest)
      writer.member("manifest", canonical: review.file.manifest.signedBytes())
      add(review.comparison, to: &writer)
      if let verdict = review.verdict { writer.member("verdict", verdict.code) }
      if let reason = review.whyUnsafe { writer.member("whyUnsafe", reason) }
      writer.objects("signatures", signed.signatures) { add($0.keyID, to: &$1) }
      guard let known = review.standings.known else { return }
      let present = Set(signed.signatures.map(\.keyID))
      writer.member("threshold", known.threshold)
      let missing = known.members.filter { !present.contains($0.key.id) }
      writer.objects("missing", missing) { $1.signer($0.key.id, name: $0.name) }
    }
  }

  private func add(_ keyID: SHA256Digest, to writer: inout JSONWriter) {
    let known = review.standings.known
    writer.signer(keyID, name: known?.members.first { $0.key.id == keyID }?.name)
    writer.member("isNew", !review.standings.present.contains(keyID))
    if let known { writer.member("counts", known.contains(keyID)) }
  }

  private func add(_ comparison: SigningCeremony.Comparison, to writer: inout JSONWriter) {
    let manifest = review.file.manifest
    switch comparison {
    case .first, .unasked:
      writer.object("comparison") { writer in
        if case .first = comparison { writer.member("kind", "first") } else { writer.member("kind", "none") }
      }
    case .release(let succession):
      let release = succession.release
      writer.object("comparison") { writer in
        if case .after(_, let isNext) = succession {
          writer.member("kind", "release")
          writer.member("isNext", isNext)
        } else {
          writer.member("kind", "again")
        }
        writer.member("name", release.name)
        writer.member("issued", release.issued)
      }
      guard case .after = succession else { return }
      let before = release.manifest
      writer.changes("changes", ManifestChanges(from: before, to: manifest))
      let (old, new) = (Set(before.keys), Set(manifest.keys))
      writer.object("keys") { writer in
        writer.manifestKeys("removed", before.keys.filter { !new.contains($0) })
        writer.manifestKeys("added", manifest.keys.filter { !old.contains($0) })
      }
    }
  }
}
