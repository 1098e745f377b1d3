import Diagnostics
import PinFormat
import PinPolicy

/// A policy of host entries alone, one a line of the file that each names.
enum PolicyByHand {
  struct Entry {
    var host: String
    var port: UInt16?
    var mode = Mode.enforce
    var probe: [String] = []
    var file = 0
  }

  static func make(_ entries: [Entry]) throws -> Policy {
    let digest = SHA256Digest([UInt8](repeating: 0, count: 32))
    var policy = Policy(
      sources: SourceSet([]), settings: nil, keys: [], keySets: [], hosts: [], certificates: [],
      sourcesDigest: digest ?? SHA256Digest(InlineArray(repeating: 0)), suppressions: [], problems: [])
    policy.hosts = try entries.enumerated().map { number, entry in
      let place = place(line: number + 1, in: entry.file)
      var made = Policy.HostEntry(
        host: try HostName(canonicalising: entry.host), written: Located(entry.host, at: place),
        mode: Located(entry.mode, at: place))
      made.port = entry.port.map { Located($0, at: place) }
      made.probe = entry.probe.enumerated().map { Located($1, at: Self.place(line: 100 * (number + 1) + $0, in: 0)) }
      return made
    }
    return policy
  }

  static func place(line: Int, in file: Int = 0) -> Place {
    Place(
      file: FileID(file), start: Position(line: line, column: 1), end: Position(line: line, column: 2))
  }
}
