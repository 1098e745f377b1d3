import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import Testing

/// Parts of policies made by hand, for tests of what the rules stand on.
enum Handmade {
  static let instant = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z

  static func place(line: Int, column: Int = 1, file: Int = 0) -> Place {
    Place(
      file: FileID(file), start: Position(line: line, column: column), end: Position(line: line, column: column + 1))
  }

  /// A host entry written on a line of its own.
  static func entry(
    _ host: String, port: UInt16? = nil, subdomains: Bool = false, mode: Mode = .enforce, line: Int = 1
  ) throws -> Policy.HostEntry {
    let place = place(line: line)
    var entry = Policy.HostEntry(
      host: try HostName(canonicalising: host), written: Located(host, at: place), mode: Located(mode, at: place))
    entry.port = port.map { Located($0, at: place) }
    entry.includeSubdomains = Located(subdomains, at: place)
    return entry
  }

  static func policy(
    hosts: [Policy.HostEntry] = [], suppressions: [Suppression] = [], problems: [PolicyProblem] = []
  ) throws -> Policy {
    let digest = try #require(SHA256Digest(repeatElement(0x5A, count: 32)))
    let lines = String(repeating: "\n", count: 20)
    return Policy(
      sources: SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array(lines.utf8))]), settings: nil, keys: [],
      keySets: [], hosts: hosts, certificates: [], sourcesDigest: digest, suppressions: suppressions,
      problems: problems)
  }

  /// Entries as clients have them.
  static func manifest(of entries: [Policy.HostEntry]) throws -> Manifest {
    let digest = try #require(SHA256Digest(repeatElement(0x5A, count: 32)))
    let hosts = entries.map {
      Manifest.HostEntry(
        host: $0.host, port: $0.port?.value, includeSubdomains: $0.coversSubdomains, mode: .off, keySet: nil,
        requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
    }
    return Manifest(
      audience: "test", serial: 1, issued: instant, refreshAfter: instant.adding(seconds: 1),
      expires: instant.adding(seconds: 2), onStale: .enforce, previous: nil,
      provenance: Manifest.Provenance(sources: digest, commit: nil, compiler: "pintle test"), unpinnedHosts: .allow,
      keys: [], keySets: [], certificates: [], hosts: hosts.sortedByHost())
  }
}
