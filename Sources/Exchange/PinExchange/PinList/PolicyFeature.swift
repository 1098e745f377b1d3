/// Something that a policy can say and a format may not be able to.
///
/// The raw value is the name by which `pintle export --accept` takes the loss.
package enum PolicyFeature: String, Hashable, Sendable, CaseIterable {
  // Which connections the entry applies to.

  /// Names below the host, at any depth.
  case subdomains
  /// An entry for one port.
  case port
  /// An entry without a port, which covers all of them.
  case allPorts = "all-ports"
  /// An entry for an IP address.
  case address
  /// An entry below another that covers it: the nearest one alone counts, and their keys are never merged.
  case nestedEntries = "nested-entries"
  /// `mode: off` below an entry that covers the name.
  case exclusion
  /// `mode: off` with `include-subdomains` below an entry that covers the name: all that is below it is removed too.
  case subtreeExclusion = "subtree-exclusion"
  /// `unpinned-hosts: deny`.
  case unpinnedHosts = "unpinned-hosts"

  // Which chains match.

  /// A key that may be anywhere in the chain, and whose kind nobody knows.
  case anyPosition = "any-position"
  /// The key of a CA, as its certificate says, that may be anywhere in the chain.
  case caKey = "ca-key"
  /// The key of a server, as its certificate or request says, that may be anywhere in the chain.
  case leafKey = "leaf-key"
  case leafPosition = "leaf-position"
  case intermediatePosition = "intermediate-position"
  case rootPosition = "root-position"
  case caPosition = "ca-position"
  /// A host that one of its keys satisfies, which has keys for the leaf and keys for above it.
  case mixedPositions = "mixed-positions"
  /// `require: leaf-and-ca`.
  case leafAndCA = "leaf-and-ca"
  /// A key that blocks wherever it is.
  case deniedKeys = "denied-keys"
  /// A host whose set has one key only.
  case singleKey = "single-key"
  /// `trust` with anchors in place of the system's.
  case anchors
  /// `trust` with anchors besides the system's.
  case furtherAnchors = "further-anchors"
  /// The rest of `trust`: other names, exceptions and stricter checks.
  case trust

  // What a mismatch does, and until when.

  case reportOnly = "report-only"
  case reportURIs = "report-uris"
  /// More than one address to report to, in order of preference.
  case furtherReportURIs = "further-report-uris"
  case expiryEnforce = "on-expiry-enforce"
  case expiryReportOnly = "on-expiry-report-only"
  case expiryUnpinned = "on-expiry-unpinned"
  case expiryBlock = "on-expiry-block"
  /// An expiry at another time than midnight UTC.
  case expiryTime = "expiry-time"
  /// An expiry that is the same instant for every client.
  case expiryZone = "expiry-zone"

  /// What the policy says, for tables and messages.
  package var title: String {
    switch self {
    case .subdomains: "names below the host, at any depth"
    case .port: "an entry for one port"
    case .allPorts: "an entry for all ports"
    case .address: "an entry for an IP address"
    case .nestedEntries: "an entry below another; only the lower one applies to its names"
    case .exclusion: "'mode: off' below an entry that covers the name"
    case .subtreeExclusion: "'mode: off' below such an entry, for the names below it too"
    case .unpinnedHosts: "'unpinned-hosts: deny'"
    case .anyPosition: "a key of unknown kind that may be anywhere in the chain"
    case .caKey: "a CA's key that may be anywhere in the chain"
    case .leafKey: "a server's key that may be anywhere in the chain"
    case .leafPosition: "a key with 'position: leaf'"
    case .intermediatePosition: "a key with 'position: intermediate'"
    case .rootPosition: "a key with 'position: root'"
    case .caPosition: "a key with 'position: ca'"
    case .mixedPositions: "keys for the leaf and keys for above it, of which any one is enough"
    case .leafAndCA: "'require: leaf-and-ca'"
    case .deniedKeys: "denied keys"
    case .singleKey: "a host with one key only"
    case .anchors: "'trust' with anchors in place of the system's"
    case .furtherAnchors: "'trust' with anchors besides the system's"
    case .trust: "'trust': what else it says, such as exceptions and stricter checks"
    case .reportOnly: "'mode: report-only'"
    case .reportURIs: "a report address"
    case .furtherReportURIs: "more than one report address"
    case .expiryEnforce: "'on-expiry: enforce'"
    case .expiryReportOnly: "'on-expiry: report-only'"
    case .expiryUnpinned: "'on-expiry: unpinned'"
    case .expiryBlock: "'on-expiry: block'"
    case .expiryTime: "an expiry at another time than 00:00:00Z"
    case .expiryZone: "an expiry at one instant, whatever the client's time zone"
    }
  }
}
