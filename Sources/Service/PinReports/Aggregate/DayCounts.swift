import OpenSSLKit
import PinFormat
import PinValidator

/// All that was counted on one day: what an aggregate is made of.
struct DayCounts: Sendable {
  let day: Int64
  /// A random number that names the day's reports, so that one that is sent twice is known.
  let name: UInt64
  var hosts: [String: HostCounts] = [:]
  var others = HostCounts(mode: .enforce)
  var manifests: [ManifestName: ManifestCounts] = [:]
  var notPinned: Int64 = 0
  var ungoverned: [FailureNames: Int64] = [:]
  var dropped: [DropReason: Int64] = [:]

  /// True where no connection was counted.
  var isEmpty: Bool { hosts.isEmpty && manifests.isEmpty && notPinned == 0 && ungoverned.isEmpty }
}

/// A manifest as reports name it.
struct ManifestName: Hashable, Sendable {
  var serial: Int64
  /// Nil where reports can't name it.
  var audience: String?
}

/// What was counted for one manifest.
struct ManifestCounts: Hashable, Sendable {
  var decisions: Int64 = 0
  /// The newest keyset that was trusted meanwhile.
  var keysetVersion: Int64?
}

/// What was counted for one host entry.
struct HostCounts: Sendable {
  /// A key where it was.
  struct Place: Hashable, Sendable {
    let pin: Pin
    let position: ChainPosition
  }

  /// When and how often.
  struct Sightings: Hashable, Sendable {
    var first: Instant
    var last: Instant
    var count: Int64
  }

  var mode: Mode
  var uris: [String] = []
  var successes: Int64 = 0
  var backupMatches: Int64 = 0
  var reportOnlyMismatches: Int64 = 0
  var failures: [FailureNames: Int64] = [:]
  var firstFailure: Instant?
  var lastFailure: Instant?
  var pins: [Place: Sightings] = [:]
  var otherPins: Int64 = 0

  init(mode: Mode) {
    self.mode = mode
  }

  mutating func add(_ tally: Tally) {
    successes = successes.addingClamped(tally.successes)
    backupMatches = backupMatches.addingClamped(tally.backupMatches)
    reportOnlyMismatches = reportOnlyMismatches.addingClamped(tally.reportOnlyMismatches)
    for (key, count) in tally.failures { failures[key.names, default: 0].add(count) }
    if let first = tally.firstFailure { firstFailure = min(firstFailure ?? first, first) }
    if let last = tally.lastFailure { lastFailure = max(lastFailure ?? last, last) }
  }

  mutating func see(_ place: Place, first: Instant, last: Instant, count: Int64) {
    if let known = pins[place] {
      pins[place] = Sightings(
        first: min(known.first, first), last: max(known.last, last), count: known.count.addingClamped(count))
      return
    }
    if pins.count >= AggregateReport.maximumPins {
      // The first pins show when it began, the latest what is true now, so one in the middle is replaced.
      otherPins.add(count)
      let newest = pins.max { ($0.value.first, $0.key.pin.digest) < ($1.value.first, $1.key.pin.digest) }
      guard let newest, newest.value.first <= first else { return }
      otherPins.add(newest.value.count - count)
      pins[newest.key] = nil
    }
    pins[place] = Sightings(first: first, last: last, count: count)
  }
}

extension DayCounts {
  /// Adds what was recorded, under a version of the keyset.
  mutating func add(_ period: Period, keysetVersion: Int64? = nil) {
    if let manifest = period.manifest {
      let name = ManifestName(serial: manifest.serial, audience: AggregateReport.nameable(manifest.audience))
      if manifests[name] != nil || manifests.count < AggregateReport.maximumManifests {
        manifests[name, default: ManifestCounts()].add(period.decisions, keysetVersion)
      }
      for (entry, tally) in period.entries {
        notPinned.add(tally.notPinned)
        if tally.isNothingPinned { continue }
        guard let label = manifest.entryLabel(entry) else { continue }
        update(host: label, of: entry, in: manifest) { $0.add(tally) }
      }
    }
    others.add(period.others)
    notPinned.add(period.notPinned)
    notPinned.add(period.others.notPinned)
    for (key, count) in period.ungoverned { ungoverned[key.names, default: 0].add(count) }
  }

  /// Adds the keys of a chain.
  mutating func add(_ incident: Incident) {
    guard let manifest = incident.decision.manifest, let entry = incident.decision.verdict.context.entry,
      let label = manifest.entryLabel(entry), let chain = incident.decision.chain
    else { return }
    let count = chain.count
    let pins = chain.pins
    guard pins.count == count else { return }
    update(host: label, of: entry, in: manifest) { host in
      for number in pins.indices {
        let place = HostCounts.Place(pin: pins[number], position: LoadedManifest.position(of: number, in: count))
        host.see(place, first: incident.first, last: incident.last, count: incident.count)
      }
    }
  }

  private mutating func update(
    host label: String, of entry: Int, in manifest: LoadedManifest, _ change: (inout HostCounts) -> Void
  ) {
    guard hosts[label] != nil || hosts.count < AggregateReport.maximumHosts else { return change(&others) }
    var host = hosts[label] ?? HostCounts(mode: .enforce)
    host.mode = manifest.tables.hosts[entry].mode
    host.uris = manifest.reportURIs(ofEntry: entry).filter { uri in
      ReportAddress.isEligible(uri, forEntry: entry, of: manifest) { _ in false }
    }
    change(&host)
    hosts[label] = host
  }
}

extension ManifestCounts {
  fileprivate mutating func add(_ decisions: Int64, _ keysetVersion: Int64?) {
    self.decisions.add(decisions)
    if let keysetVersion { self.keysetVersion = max(self.keysetVersion ?? keysetVersion, keysetVersion) }
  }
}

extension Tally {
  /// True where the entry pinned none of the connections.
  var isNothingPinned: Bool { successes == 0 && reportOnlyMismatches == 0 && failures.isEmpty }
}

extension Int64 {
  mutating func add(_ other: Int64) {
    self = addingClamped(other)
  }
}
