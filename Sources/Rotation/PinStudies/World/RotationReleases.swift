import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
import PinRotation
import PinRules
import PinValidator

/// The releases of a scenario: those that are out, the policy as of now, and those that its dates ask for.
struct RotationReleases {
  let end: Instant
  /// Ends of exceptions and certificates before it count.
  let horizon: Instant
  /// In seconds.
  let window: Int64
  /// The policy as it would be released now, with its true dates.
  let candidate: Manifest
  let releases: [ClientRelease]
  /// The candidate's index in ``releases``.
  let candidateNumber: Int

  /// The index of the newest release that is out; nil for a first release.
  var newestNumber: Int? { candidateNumber > 0 ? candidateNumber - 1 : nil }

  init(_ question: RotationQuestion, _ names: KeysByName, compiler: String) throws(RotationWorldError) {
    let policy = question.policy.policy
    let now = question.now
    window = policy.effectiveSettings.clientMaxAge
    end = question.end ?? Scenario.end(after: Self.lastStep(question), window: window)
    horizon = question.knowsLaterEnds ? .latest : end
    candidate = try Self.candidate(question, names, compiler: compiler)

    var all = Self.released(question.released)
    candidateNumber = all.count
    // A release can't be undone by a candidate with an earlier date; another rule reports dates that go backwards.
    let issued = max(now, all.last?.issued ?? now)
    let rehearsal: Rehearsal
    do { rehearsal = try Rehearsal() } catch { throw .rehearsal(error) }
    let planned = question.isFrozen ? [] : try Self.planned(policy, after: candidate, from: issued, to: end)
    for (number, manifest) in ([candidate] + planned).enumerated() {
      let successor = number < planned.count ? planned[number].issued : nil
      let played = question.isFrozen ? manifest : Self.renewed(manifest, until: successor, end: end)
      let loaded: LoadedManifest
      do { loaded = try rehearsal.load(played) } catch { throw .rehearsal(error) }
      all.append(
        ClientRelease(
          name: number == 0 ? "this policy" : "the release planned for \(manifest.issued)", serial: nil,
          issued: number == 0 ? issued : manifest.issued, origin: number == 0 ? .candidate : .planned,
          manifest: loaded))
    }
    if let adoption = question.adoption { adoption.prolong(&all, before: candidateNumber, window: window, now: now) }
    releases = all
  }

  /// When the last client gives a release up; nil for the last one.
  func runEnd(ofRelease number: Int) -> Instant? {
    Scenario(now: end, end: end, window: window, releases: releases, servers: []).run(ofRelease: number).end
  }

  static func released(_ manifests: [ReleasedManifest]) -> [ClientRelease] {
    var all: [ClientRelease] = []
    for release in manifests {
      // As above: no client has a release before its predecessor.
      all.append(
        ClientRelease(
          name: release.name, serial: release.serial, issued: max(release.issued, all.last?.issued ?? release.issued),
          origin: .released, manifest: release.loaded))
    }
    return all
  }

  /// The last instant at which anything is planned; now where nothing is.
  private static func lastStep(_ question: RotationQuestion) -> Instant {
    let steps = question.policy.policy.keys.flatMap { key in
      [key.steps.active, question.isFrozen ? nil : key.steps.retired].compactMap { $0?.value }
    }
    return (steps + question.serverChanges.map(\.instant)).reduce(question.now, max)
  }

  private static func candidate(
    _ question: RotationQuestion, _ names: KeysByName, compiler: String
  ) throws(RotationWorldError) -> Manifest {
    let newest = question.released.last
    let serial = question.released.compactMap(\.serial).max() ?? 0
    let release = Release(
      serial: serial &+ 1, issued: question.now, previous: newest?.digest, commit: nil, compiler: compiler)
    var manifest: Manifest
    do {
      manifest = try question.policy.lowered(standingIn: release, audience: newest?.loaded.audience ?? "rehearsal")
    } catch {
      throw .lowering(error)
    }
    for name in question.denied {
      let (key, pin) = try names.key(name)
      manifest.deny(
        Manifest.Key(name: name, pin: pin, position: key.chainPosition, denied: "denied to see what that does"))
    }
    return manifest
  }

  /// The releases that leave retired keys out, in order of time.
  private static func planned(
    _ policy: Policy, after candidate: Manifest, from begin: Instant, to end: Instant
  ) throws(RotationWorldError) -> [Manifest] {
    let retired = policy.keys.compactMap { key in key.steps.retired.map { (name: key.name.value, instant: $0.value) } }
      .filter { begin < $0.instant && $0.instant < end }
      .sorted { ($0.instant, $0.name) < ($1.instant, $1.name) }
    var planned: [Manifest] = []
    for (name, instant) in retired {
      var manifest = planned.last ?? candidate
      let isAnother = manifest.issued < instant || planned.isEmpty
      if let set = manifest.retire(name) { throw .emptiedKeySet(set, key: name, instant: instant) }
      guard isAnother else {
        planned[planned.count - 1] = manifest
        continue
      }
      let later = instant.seconds(since: manifest.issued)
      manifest.serial &+= 1
      manifest.previous = nil
      manifest.issued = instant
      manifest.refreshAfter = manifest.refreshAfter.adding(seconds: later)
      manifest.expires = manifest.expires.adding(seconds: later)
      planned.append(manifest)
    }
    return planned
  }

  /// A manifest with the expiry of the last release of its content, where releases go on until another content comes.
  private static func renewed(_ manifest: Manifest, until successor: Instant?, end: Instant) -> Manifest {
    var renewed = manifest
    if let successor, manifest.onStale.blocks(where: manifest.unpinnedHosts) {
      // Clients that block hosts with a stale manifest stop using the last renewal when it expires, which may be within the window.
      renewed.expires = successor.adding(seconds: manifest.expires.seconds(since: manifest.issued))
    } else {
      renewed.expires = max(manifest.expires, end.adding(seconds: 1))
    }
    return renewed
  }
}

extension Manifest {
  /// Denies a key, whether or not the manifest has it.
  fileprivate mutating func deny(_ key: Key) {
    if let number = keys.firstIndex(where: { $0.name == key.name }) {
      keys[number].denied = keys[number].denied ?? key.denied
    } else {
      keys.append(key)
      keys.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }

  /// Removes a key from all sets, and a key that isn't denied out of the manifest.
  ///
  /// - Returns: The name of a set that has no key left; nil where every set has one.
  fileprivate mutating func retire(_ name: String) -> String? {
    var emptied: String?
    for number in keySets.indices {
      keySets[number].active.removeAll { $0 == name }
      keySets[number].backup.removeAll { $0 == name }
      if keySets[number].active.isEmpty, keySets[number].backup.isEmpty { emptied = emptied ?? keySets[number].name }
    }
    keys.removeAll { $0.name == name && $0.denied == nil }
    return emptied
  }
}

extension [ReleasedManifest] {
  /// Those that some client may still run.
  ///
  /// - Parameters:
  ///   - instant: The instant that counts as now.
  ///   - window: The adoption window, in seconds.
  /// - Returns: Them, in order.
  package func inUse(at instant: Instant, window: Int64) -> [ReleasedManifest] {
    zip(self, runs(window: window)).filter { _, run in run.end.map { instant < $0 } ?? true }.map(\.0)
  }

  /// From when until when some client may run each of them.
  ///
  /// - Parameters:
  ///   - window: The adoption window, in seconds.
  ///   - latest: When those at the latest count as issued that are out, whatever they say of themselves.
  /// - Returns: The times; the last has no end.
  func runs(window: Int64, issuedBy latest: Instant = .latest) -> [(begin: Instant, end: Instant?)] {
    var releases = RotationReleases.released(self)
    for number in releases.indices { releases[number].issued = Swift.min(releases[number].issued, latest) }
    let scenario = Scenario(now: .earliest, end: .earliest, window: window, releases: releases, servers: [])
    return indices.map { scenario.run(ofRelease: $0) }
  }
}
