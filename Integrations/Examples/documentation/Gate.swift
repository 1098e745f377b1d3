import PinFormat
import PinValidator

struct Gate {
  let store: PinStore

  /// Once; the folder keeps the manifest in force, and the highest serial ever accepted, across restarts.
  init(manifest: [UInt8], releaseKey: [UInt8], folder: String? = nil) throws(ManifestError) {
    let signers = try TrustedSigners(publicKeys: [releaseKey], threshold: 1)
    var settings = PinStoreSettings(signers: signers, audience: "production", withoutManifest: .block)
    settings.embedded = manifest
    settings.directory = folder
    store = PinStore(settings)
  }

  /// On each handshake, with the certificates that the server sent, the leaf first; never waits for an update.
  func decide(on host: String, port: UInt16, certificates: [[UInt8]], negotiated: TLSVersion?) -> Disposition {
    let handshake = PeerHandshake(host: host, port: port, certificates: certificates, tlsVersion: negotiated)
    return store.evaluate(handshake).disposition
  }

  /// Whenever a newer manifest arrives: what is refused changes nothing.
  func take(_ bytes: [UInt8]) throws(UpdateError) { try store.update(bytes) }
}
