import PinFormat
import PinPolicy
package import PinRelease

/// A manifest or a keyset, as those who sign it know it.
package struct SignedSubject {
  var content: SignedContent
  var audience: String
  /// The manifest's serial, or the keyset's version.
  var number: Int64
  var signed: [UInt8]
  /// Nil for a manifest.
  private(set) var keyset: Keyset?

  package init(_ file: SignableManifest) {
    (content, audience, number) = (.manifest, file.manifest.audience, file.manifest.serial)
    signed = file.signedBytes
  }

  package init(_ file: KeysetFile) {
    (content, audience, number) = (.keyset, file.keyset.audience, file.keyset.version)
    signed = file.signed
    keyset = file.keyset
  }

  /// Nil for a file that is neither.
  init?(_ bytes: [UInt8]) {
    if let file = try? SignableManifest(bytes) {
      self.init(file)
    } else if let file = try? KeysetFile(reading: bytes) {
      self.init(file)
    } else {
      return nil
    }
  }

  /// `production serial 8`.
  var text: String { EventDraft.subject(content, audience, number) }

  /// What a signature is over.
  var message: [UInt8] { SignatureEnvelope.preAuthenticationEncoding(of: signed, as: content) }
}
