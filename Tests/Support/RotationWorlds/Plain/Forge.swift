import OpenSSLKit
package import PinFormat
package import PinValidator
import Synchronization

/// Makes manifests of the runtime validator the way a release is made: encoded, signed, verified and read.
///
/// The signing key is made for the run and never written. A manifest that was made once is given again.
package final class Forge: Sendable {
  private let privateKey: [UInt8]
  private let keyID: SHA256Digest
  private let signers: TrustedSigners
  private let made = Mutex<[Manifest: LoadedManifest]>([:])

  package init() throws {
    let key = try PrivateKey(generating: .ed25519)
    let publicKey = try key.subjectPublicKeyInfo()
    privateKey = try key.pem()
    keyID = SHA256Digest(try SHA256.digest(of: publicKey))
    signers = try TrustedSigners(publicKeys: [publicKey], threshold: 1)
  }

  /// The manifest as clients have it.
  package func manifest(_ manifest: Manifest) throws -> LoadedManifest {
    if let known = made.withLock({ $0[manifest] }) { return known }
    let signed = manifest.signedBytes()
    let message = SignatureEnvelope.preAuthenticationEncoding(of: signed[...])
    let signature = SignatureEnvelope.Signature(keyID: keyID, bytes: try PrivateKey(pem: privateKey).sign(message))
    let loaded = try LoadedManifest.load(
      SignatureEnvelope.encode(signed: signed, signatures: [signature]), signers: signers, audience: manifest.audience)
    made.withLock { $0[manifest] = loaded }
    return loaded
  }
}
