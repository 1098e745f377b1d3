import PinFormat
import PinValidator

struct Gate {
  let store: PinStore

  /// At start; the folder keeps the manifest in force and the newest keyset.
  init(manifest: [UInt8], keyset: [UInt8], folder: String? = nil) throws(KeysetError) {
    let shipped = try TrustedKeyset.load(shipped: keyset, audience: "production")
    var settings = PinStoreSettings(keyset: shipped, withoutManifest: .block)
    settings.embedded = manifest
    settings.directory = folder
    store = PinStore(settings)
  }

  /// On each handshake, with the certificates that the server sent, the leaf first; never waits for an update.
  func decide(on host: String, port: UInt16, certificates: [[UInt8]], negotiated: TLSVersion?) -> Disposition {
    let handshake = PeerHandshake(host: host, port: port, certificates: certificates, tlsVersion: negotiated)
    return store.evaluate(handshake).disposition
  }

  /// Whenever a newer manifest arrives; one that is rejected changes nothing.
  func take(_ bytes: [UInt8]) throws(UpdateError) { try store.update(bytes) }

  /// Whenever the next version of the keyset arrives; from then on its signers count.
  func take(keyset bytes: [UInt8]) throws(UpdateError) { try store.update(keyset: bytes) }
}
