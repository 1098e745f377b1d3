import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A set that hosts are held to must name a key that no server uses yet.
  static let missingBackup = Rule(
    code: "P313",
    name: "missing-backup",
    severity: .error,
    title: "A key set that hosts use has no backup key.",
    rationale: """
      When the only pinned key is lost or stolen, every client that holds the manifest is locked out until it has a new
      one. A backup is a key that the manifest already names but no server presents: with it, a server can change keys
      at once.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4= }
      key-sets:
        public-web:
          active: [web]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4= }
        spare: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: "HSM A" }
      key-sets:
        public-web:
          active: [web]
          backup: [spare]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 4.3",
    check: .policy { input in
      let policy = input.policy
      let used = Set(policy.hosts.filter { $0.mode.value != .off }.compactMap { $0.keySet?.value })
      return used.sorted().map { policy.keySets[$0] }.filter { $0.backup.isEmpty }.map { set in
        Finding(
          at: set.place, "key set '\(set.name)' has no backup key",
          help: "Add a key that no server presents yet to 'backup:', and keep its private half in another place.")
      }
    })
}
