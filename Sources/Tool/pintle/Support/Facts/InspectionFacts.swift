import Diagnostics
import OpenSSLKit
import PinFormat
import PinGate
import PinPolicy
import PinRelease

/// What `pintle show` shows: a manifest, and who has signed it.
struct InspectionFacts {
  /// How much is known of the signatures.
  enum State: String {
    case verified
    case notVerified = "not-verified"
    case draft
  }

  /// The manifest's path.
  let file: String
  let state: State
  let manifest: Manifest
  let bytes: Int
  /// Verified, those whose signatures count; otherwise everybody whom the file names.
  let signers: [(keyID: SHA256Digest, name: String?)]

  func text() -> String {
    let content = ManifestText(manifest: manifest, fileBytes: bytes).text()
    switch state {
    case .verified:
      let names = signers.map { Trust.label($0.keyID, $0.name) }.joined(separator: ", ")
      return "verified: signed by \(names)\n" + content
    case .notVerified:
      return "NOT VERIFIED: pass --key or --keyset to verify the signatures\n" + content
        + "\nSIGNATURES, not verified (\(signers.count))\n" + signers.map { "  \($0.keyID.hex)\n" }.joined()
    case .draft: return "DRAFT: nobody has signed it yet\n" + content
    }
  }

  func json() -> String {
    Facts.text("inspect") { writer in
      writer.member("file", file)
      writer.member("bytes", bytes)
      writer.member("state", state)
      writer.signers("signedBy", signers)
      writer.member("manifest", canonical: manifest.signedBytes())
    }
  }
}
