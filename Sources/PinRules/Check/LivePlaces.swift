package import Diagnostics
import PinFormat
package import PinPolicy
package import PinProbe

/// Where findings stand about servers that no entry governs: at their names in `probe:` lists, or on lines of their own
/// in a text that isn't on disk, the list of these servers.
package struct LivePlaces {
  package let places: [HostPort: Place]
  /// The policy, with that list behind its files.
  package let source: LoadedPolicy

  package init(of evidence: Evidence, in source: LoadedPolicy) {
    let index = HostIndex(source.policy.hosts)
    let ports = Set(evidence.targets.map(\.port)).sorted()
    let named = Dictionary(
      PlannedNames(source.policy, ports: ports).names.map { (HostPort($0.host, $0.port), $0.place) }
    ) { first, _ in first }
    let id = FileID(source.policy.sources.files.count)
    var places: [HostPort: Place] = [:]
    var lines: [String] = []
    for target in evidence.targets {
      let entry = index.governing(target.host, port: target.port).map { source.policy.hosts[$0] }
      guard entry == nil || entry?.mode.value == .off else { continue }
      let key = HostPort(target.host, target.port)
      if let place = named[key] {
        places[key] = place
        continue
      }
      let line = HostLabel.text(host: target.host, port: target.port)
      lines.append(line)
      places[key] = Place(
        file: id, start: Position(line: lines.count, column: 1),
        end: Position(line: lines.count, column: line.unicodeScalars.count + 1))
    }
    self.places = places
    var extended = source
    if !lines.isEmpty {
      let file = SourceSet.File(path: "probed hosts", bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
      extended.policy.sources = source.policy.sources.adding(file).sources
      extended.asked?.insert(id)
    }
    self.source = extended
  }
}
