import PinFormat

/// A manifest with its names looked up, for comparing it with another one.
struct ComparedManifest {
  let manifest: Manifest
  let hosts: ManifestHosts
  /// Denied keys by their pins; of several, the first by name.
  let denied: [Pin: Manifest.Key]
  private let keys: [String: Manifest.Key]
  private let keySets: [String: Manifest.KeySet]

  init(_ manifest: Manifest) {
    self.manifest = manifest
    keys = Dictionary(manifest.keys.map { ($0.name, $0) }) { first, _ in first }
    keySets = Dictionary(manifest.keySets.map { ($0.name, $0) }) { first, _ in first }
    denied = Dictionary(manifest.keys.filter { $0.denied != nil }.map { ($0.pin, $0) }) { first, _ in first }
    hosts = ManifestHosts(manifest)
  }

  /// The keys of an entry's set: active ones, then backup ones.
  func keys(of set: String?) -> (active: [Manifest.Key], backup: [Manifest.Key]) {
    guard let set, let found = keySets[set] else { return ([], []) }
    return (found.active.compactMap { keys[$0] }, found.backup.compactMap { keys[$0] })
  }
}
