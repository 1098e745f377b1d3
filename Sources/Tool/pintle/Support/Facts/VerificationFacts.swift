import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// What `pintle verify` found out, as far as it came.
struct VerificationFacts {
  /// The manifest's path.
  let file: String
  let instant: Instant
  /// The manifest, where its signatures are valid.
  var loaded: LoadedManifest?
  /// The manifest, where nobody has signed it yet.
  var draft: Manifest?
  /// The keyset by which it was verified.
  var keyset: TrustedKeyset?
  /// Those who signed it and whose signatures count.
  var signers: [(keyID: SHA256Digest, name: String?)] = []
  /// The release that it follows.
  var follows: ReleasedManifest?
  /// The sources that it was compiled from.
  var sources: String?
  /// Why it is rejected.
  var rejection: CommandFailure?

  func text() -> String {
    var table = Table()
    if let loaded {
      table.add("verified", VisibleText.of(file))
      table.add("audience", VisibleText.of(loaded.audience))
      table.add("serial", "\(loaded.serial)")
      table.add("issued", "\(loaded.issued)")
      table.add("refresh", "after \(loaded.refreshAfter)")
      table.add("expires", "\(loaded.expires)")
      table.add("hosts", "\(loaded.entryCount)")
      if let reason = loaded.drasticChange { table.add("drastic change", VisibleText.of(reason)) }
    } else if let draft {
      table.add("draft", "\(VisibleText.of(file)), which nobody has signed")
      table.add("audience", VisibleText.of(draft.audience))
      table.add("serial", "\(draft.serial)")
      table.add("issued", "\(draft.issued)")
      table.add("expires", "\(draft.expires)")
      table.add("hosts", "\(draft.hosts.count)")
      if let reason = draft.drasticChange { table.add("drastic change", VisibleText.of(reason)) }
    }
    if let keyset { table.add("keyset", "version \(keyset.version), expires \(keyset.expires)") }
    for signer in signers { table.add("signed by", Trust.label(signer.keyID, signer.name)) }
    if let follows { table.add("follows", follows.name) }
    if let sources { table.add("sources", "\(VisibleText.of(sources)): compiled again, the same bytes") }
    return table.text()
  }

  func json() -> String {
    Facts.text("verify") { writer in
      writer.member("at", instant)
      writer.member("file", file)
      writer.member("verdict", rejection != nil ? "rejected" : loaded != nil ? "verified" : "draft")
      if let rejection { writer.rejection(rejection) }
      if let manifest = loaded?.manifest ?? draft { writer.release("manifest", manifest) }
      if let keyset {
        writer.object("keyset") { writer in
          writer.member("version", keyset.version)
          writer.member("expires", keyset.expires)
        }
      }
      writer.signers("signedBy", signers)
      writer.member("follows", follows?.loaded.serial)
      writer.member("sources", sources)
    }
  }
}
