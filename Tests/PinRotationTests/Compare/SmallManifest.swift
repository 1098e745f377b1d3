import PinFormat

/// Manifests of a few hosts, for comparing.
enum SmallManifest {
  static func instant(_ text: String) -> Instant { Instant(written: text) ?? .latest }

  /// A pin that is known by a number.
  static func pin(_ number: UInt8) -> Pin { Pin(digest(number)) }

  static func digest(_ number: UInt8) -> SHA256Digest { SHA256Digest(InlineArray<32, UInt8>(repeating: number)) }

  static func key(
    _ name: String, _ number: UInt8, at position: ChainPosition? = nil, denied: String? = nil
  ) -> Manifest.Key {
    Manifest.Key(name: name, pin: pin(number), position: position, denied: denied)
  }

  /// An entry of the key set `web` that doesn't expire.
  static func entry(
    _ host: String, port: UInt16? = nil, subdomains: Bool = false, mode: Mode = .enforce, keySet: String? = "web",
    requirement: Requirement = .any, expires: String? = nil, onExpiry: ExpiryAction? = nil, reports: [String] = [],
    trust: Manifest.Trust? = nil
  ) throws -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: try HostName(canonicalising: host), port: port, includeSubdomains: subdomains, mode: mode,
      keySet: mode == .off ? nil : keySet, requirement: requirement, expires: expires.map(instant),
      onExpiry: expires == nil ? nil : onExpiry ?? .enforce, reportURIs: reports, trust: trust)
  }

  /// A manifest of the keys `a` (active) and `b` (backup) in the key set `web`, and of the hosts given.
  static func manifest(
    _ hosts: [Manifest.HostEntry],
    keys: [Manifest.Key] = [key("a", 1), key("b", 2)],
    keySets: [Manifest.KeySet] = [Manifest.KeySet(name: "web", active: ["a"], backup: ["b"])],
    unpinnedHosts: UnpinnedHosts = .allow
  ) -> Manifest {
    Manifest(
      audience: "production", serial: 7, issued: instant("2026-11-01"), refreshAfter: instant("2026-11-02"),
      expires: instant("2026-12-01"), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(sources: digest(0), commit: nil, compiler: "pintle test"),
      unpinnedHosts: unpinnedHosts, keys: keys, keySets: keySets, certificates: [], hosts: hosts)
  }
}
