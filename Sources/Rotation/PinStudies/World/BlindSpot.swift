import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
package import PinRelease
package import PinRotation
import PinRules
import PinValidator

/// Clients and servers that nothing is reported about.
package enum BlindSpot {
  /// Clients whose release wasn't given: what a baseline leaves out.
  ///
  /// A release whose predecessor isn't given matters for as long as clients may run that one.
  ///
  /// - Parameters:
  ///   - released: In order of release.
  ///   - window: The adoption window in seconds.
  ///   - now: The instant that counts as now.
  /// - Returns: A clause for each gap, none where the baseline holds all that clients may run.
  package static func clients(of released: [ReleasedManifest], window: Int64, at now: Instant) -> [String] {
    let known = Set(released.compactMap(\.digest))
    let serials = Set(released.compactMap(\.serial))
    return released.compactMap { release in
      let end = release.issued.adding(seconds: window)
      guard now < end else { return nil }
      guard let serial = release.serial else {
        return
          "\(release.name) is a single release: clients that run an older one, possibly until \(end), aren't checked"
      }
      let previous = release.loaded.tables.header.previous
      // A release that doesn't name its predecessor has one too; it just can't be compared with the given ones.
      guard serial > 1, previous.map({ !known.contains($0) }) ?? !serials.contains(serial - 1) else { return nil }
      return
        "the release before \(release.name) isn't given: clients that still run it, possibly until \(end), aren't checked"
    }
  }

  /// Releases that are given, and that nobody is taken to run any more: since the adoption window has passed, or since
  /// they are stale and clients refuse them.
  package static func outdated(_ scenario: Scenario) -> [String] {
    let outdated = scenario.releases.indices.filter { number in
      scenario.run(ofRelease: number).end.map { $0 <= scenario.now } ?? false
    }
    let (late, stale) = (
      outdated.filter { scenario.isAdopted($0) }, outdated.filter { !scenario.isAdopted($0) }
    )
    func names(_ numbers: [Int]) -> String {
      if let span = span(numbers) { return span }
      let names = numbers.map { scenario.releases[$0].name }
      return names.count > 3 ? "\(names[0]), \(names[1]) and \(names.count - 2) more" : names.listed()
    }
    /// `serials 1 to 6`, where none is missing in between.
    func span(_ numbers: [Int]) -> String? {
      let serials = numbers.compactMap { scenario.releases[$0].serial }.sorted()
      guard serials.count > 2, serials.count == numbers.count, let first = serials.first, let last = serials.last,
        zip(serials, serials.dropFirst()).allSatisfy({ $0 + 1 == $1 })
      else { return nil }
      return "serials \(first) to \(last)"
    }
    var told: [String] = []
    if !late.isEmpty {
      told.append(
        "\(names(late)) \(late.count == 1 ? "isn't" : "aren't") counted: "
          + (late.count == 1 ? "it was" : "they were")
          + " replaced at least \(Wording.duration(scenario.window)) ago ('client-max-age')")
    }
    if let end = stale.map({ scenario.releases[$0].manifest.expires }).max() {
      told.append(
        "\(names(stale)) expired\(stale.count == 1 ? "" : ", the last") at \(end) with 'on-stale: block': clients that "
          + "still run \(stale.count == 1 ? "it" : "them") block all pinned hosts until they update")
    }
    return told
  }

  /// Places where a handshake failed, of servers that answered another one: what is presented there isn't known.
  package static func places(of assessment: Assessment) -> [String] {
    var places = 0
    var servers = 0
    for target in assessment.targets where target.hasAnswered {
      var silent: Set<String> = []
      for visit in target.visits {
        if case .failed = visit.outcome { silent.insert(HostLabel.text(host: visit.address, port: visit.port)) }
      }
      places += silent.count
      servers += silent.isEmpty ? 0 : 1
    }
    guard places > 0 else { return [] }
    return [
      "a handshake failed at \(counted(places, "address", plural: "addresses")) of \(counted(servers, "server")): what "
        + "they present isn't known"
    ]
  }

  /// Names that nobody wrote down and that a release begins to hold to something.
  package static func names(under changes: ManifestChanges) -> [String] {
    var spots: [String] = []
    if changes.settings.contains(where: { $0.field == "unpinned-hosts" && $0.after == UnpinnedHosts.deny.rawValue }) {
      spots.append("hosts without an entry are blocked from now on: whether clients use any isn't checked")
    }
    let widened = changes.hosts.filter(\.beginsToCoverSubdomains).map(\.label)
    if !widened.isEmpty {
      spots.append(
        "names below \(Wording.list(widened, most: 3)) are pinned from now on: only those in 'probe:' and in "
          + "evidence are checked")
    }
    return spots
  }
}

extension HostChange {
  fileprivate var beginsToCoverSubdomains: Bool {
    switch kind {
    case .added(let entry): entry.includeSubdomains && entry.mode != .off
    case .removed: false
    case .changed(let parts):
      parts.contains { $0.field == .value(.includeSubdomains, from: .flag(false), to: .flag(true)) }
    }
  }
}

extension RotationStudy {
  /// Servers that clients can't reach already, in counts: by pins, and for other reasons.
  package var alreadyBroken: [String] {
    let standing = JudgedLockout.known(lockouts, in: scenario).filter { $0.isStanding && $0.lockout.extent == .every }
    let unhealthy = Set(standing.filter(\.isUnhealthy).map(\.lockout.server))
    let byPins = standing.filter { !unhealthy.contains($0.lockout.server) }
    let already = Set(byPins.filter { $0.lockout.begin <= scenario.now }.map(\.lockout.server))
    let later = Set(byPins.map(\.lockout.server)).subtracting(already)
    return [
      (unhealthy, "unhealthy (see P619)"), (already, "locked out already (see P614)"),
      (later, "locked out later with any release (see P614)"),
    ].filter { !$0.0.isEmpty }.map { counted($0.0.count, "server") + " " + $0.1 }
  }

  /// What the study says nothing of, in clauses for people.
  package var blindSpots: [String] {
    let stated = Set(question.serverChanges.flatMap(\.keys))
    let planned = policy.keys.filter { key in
      key.steps.active.map { question.now < $0.value && $0.value < scenario.end } ?? false
        || stated.contains(key.name.value)
    }
    return BlindSpot.clients(of: question.released, window: scenario.window, at: question.now)
      + (world.assessment.map { BlindSpot.places(of: $0) } ?? []) + assumptions(of: planned)
      + (question.lost.isEmpty ? [] : assumedCertificates(of: policy.keys, .afterLoss))
  }

  /// What is assumed of the chains with keys that servers will present.
  package func assumptions(of keys: [Policy.Key]) -> [String] {
    let denied = DeniedAuthority.all(policy, world.certificates)
    return keys.flatMap { key in key.pin.map { assumptionsOfPlace(of: key, $0, denied) } ?? [] }
      + assumedCertificates(of: keys, .planned)
  }

  /// Certificates that servers will present in place of those in the files of keys.
  private func assumedCertificates(of keys: [Policy.Key], _ source: ServerPhase.Source) -> [String] {
    newCertificates(of: keys, source).map { key, objection in
      "clients reject the certificate in '\(objection.path)' at \(Wording.list(objection.servers, most: 3)): "
        + "\(objection.clause); servers are assumed to present '\(key.name.value)' in a new one"
    }
  }

  /// The keys that need a new certificate before servers present them, and why.
  func newCertificates(
    of keys: [Policy.Key], _ source: ServerPhase.Source
  ) -> [(key: Policy.Key, objection: KeyFileObjection)] {
    let keys = keys.filter { $0.material?.certificate != nil }
    guard !keys.isEmpty else { return [] }
    // For each key the servers that come to present it, by when.
    var changes: [Pin: [Instant: [Int]]] = [:]
    for (number, server) in scenario.servers.enumerated() {
      var seen: Set<Pin> = []
      for phase in server.phases where phase.source == source {
        for pin in phase.presentedPins where seen.insert(pin).inserted {
          changes[pin, default: [:]][max(phase.begin, scenario.now), default: []].append(number)
        }
      }
    }
    let files = KeyFiles(self, in: scenario)
    return keys.flatMap { key in
      (key.pin.flatMap { changes[$0] } ?? [:]).sorted { $0.key < $1.key }.flatMap { begin, servers in
        files.objections(to: key, at: servers, from: begin).map { (key, $0) }
      }
    }
  }

  /// Where an entry requires a CA's key too, and nothing shows all that is above a leaf's certificate.
  private func assumedIssuer(of key: Policy.Key, _ pin: Pin) -> String? {
    guard let file = key.material, let certificate = file.certificate, !certificate.isSelfIssued else { return nil }
    let isRequired = policy.hosts.contains { entry in
      guard entry.requirement?.value == .leafAndCA, let set = entry.keySet else { return false }
      return policy.keySets[set.value].members.contains { policy.keys[$0.key].pin == pin }
    }
    let ways = world.certificates.issuers(ofLeaf: pin)
    guard isRequired, ways.isEmpty || ways.contains(where: { $0.last == .some(nil) }) else { return nil }
    return "it isn't known which keys are above the certificate in '\(file.path)', which "
      + "\(Wording.quoted(certificate.issuer, most: 120)) issued: one that the entry requires is assumed"
  }

  /// Where the certificate of a key isn't known, and a denied authority may have issued it.
  private func deniedIssuer(
    of key: Policy.Key, _ pin: Pin, among authorities: [DeniedAuthority], isLeaf: Bool = true
  ) -> String? {
    guard !authorities.isEmpty else { return nil }
    let ways = isLeaf ? world.certificates.issuers(ofLeaf: pin) : world.certificates.issuers(of: pin)
    let isUnknown = ways.isEmpty || ways.contains { $0.last == .some(nil) }
    /// Of two certificates for the key, servers may send either.
    func issuedOne(_ denied: Pin?) -> Bool {
      ways.contains { $0.contains(denied) } && !ways.allSatisfy { $0.contains(denied) }
    }
    let users = policy.hosts.filter { entry in
      entry.keySet.map { policy.keySets[$0.value].members.contains { policy.keys[$0.key].pin == pin } } ?? false
    }
    // A plan may be to a key that is in no key set yet.
    let entries = users.isEmpty ? policy.hosts.filter { $0.keySet != nil } : users
    let names = authorities.filter { authority in
      (isUnknown || issuedOne(authority.key.pin))
        && entries.contains {
          authority.mayBe(in: PresentedChain(isLeaf ? [pin, nil] : [nil, pin, nil]), of: $0.trust)
        }
    }.map(\.key.name.value)
    guard !names.isEmpty else { return nil }
    return "the certificate of '\(key.name.value)' is assumed not to come from \(Wording.list(names, joinedBy: "or")), "
      + "which \(names.count == 1 ? "is" : "are") denied"
  }

  private func assumptionsOfPlace(of key: Policy.Key, _ pin: Pin, _ authorities: [DeniedAuthority]) -> [String] {
    let name = "'\(key.name.value)'"
    func denied() -> [String] { deniedIssuer(of: key, pin, among: authorities).map { [$0] } ?? [] }
    guard key.position != nil || key.material != nil || scenario.standings[pin] != nil else {
      return ["key \(name) has no 'position:', and no file or evidence shows it: it is assumed to be at the leaf"]
        + denied()
    }
    let standing = StandingKey(key.name.value, pin, position: key.chainPosition, among: scenario.standings)
    guard standing.position != .leaf else { return (assumedIssuer(of: key, pin).map { [$0] } ?? []) + denied() }
    var told = ["servers are assumed to send the intermediates that clients need with \(name)"]
    let isUncertified = standing.position == .intermediate && key.material?.certificate == nil
    let anchored = policy.hosts.first { entry in
      guard let trust = entry.trust, !trust.systemAnchors, let set = entry.keySet else { return false }
      return policy.keySets[set.value].members.contains { policy.keys[$0.key].pin == pin }
    }
    if isUncertified, standing.issuers == [nil], let anchored {
      told.append("it isn't known who certified \(name): an anchor of '\(anchored.label)' is assumed")
    }
    let above = standing.position == .intermediate ? deniedIssuer(of: key, pin, among: authorities, isLeaf: false) : nil
    return told + (above.map { [$0] } ?? [])
  }
}
