import PinFormat
import PinValidator

func open(releaseKey: [UInt8], shipped: [UInt8]) throws -> PinStore {
  let signers = try TrustedSigners(publicKeys: [releaseKey], threshold: 1)
  var settings = PinStoreSettings(signers: signers, audience: "production", withoutManifest: .block)

  settings.embedded = shipped
  settings.directory = "/var/lib/payments/pins"
  let store = PinStore(settings)
  for problem in store.startup.problems { print("warning: \(problem)") }
  return store
}

func open(shippedKeyset: [UInt8]) throws -> PinStore {
  let keyset = try TrustedKeyset.load(shipped: shippedKeyset, audience: "production")
  var settings = PinStoreSettings(keyset: keyset, withoutManifest: .block)
  settings.directory = "/var/lib/payments/pins"
  return PinStore(settings)
}

func update(_ store: PinStore, _ bytes: [UInt8]) {
  do {
    try store.update(bytes)
  } catch {
    print("the manifest was refused: \(error.code): \(error)")
  }
}

func watch(_ store: PinStore) -> ManifestFile {
  let file = ManifestFile(path: "/etc/payments/manifest.json", store: store)
  return file
}

/// Every few seconds.
func look(at file: ManifestFile) {
  do {
    try file.checkForChange()
  } catch {
    print("the manifest was refused: \(error.code): \(error)")
  }
}

func follow(_ store: PinStore, pool: Pool) -> Int {
  let observer = store.addActivationObserver { activation in
    if case .activated = activation { pool.closeWhatNoLongerHolds() }
  }
  return observer
}

/// Keeps connections.
struct Pool: Sendable {
  func closeWhatNoLongerHolds() {}
}
