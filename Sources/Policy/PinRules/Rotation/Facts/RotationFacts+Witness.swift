package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRotation
import PinValidator

extension RotationFacts {
  /// The earliest lockout of a group, as the one case that proves it.
  func witness(_ group: LockoutGroup) -> Witness { Witness(group.first) { names[$0] } }

  /// A client of the policy that goes on at a host although it is shown keys that nobody knows; nil where it doesn't.
  func admission(host: HostName, port: UInt16?, at instant: Instant) -> Witness? {
    witness(ofRelease: candidate, host: host, port: port, at: instant, shown: PresentedChain([nil]), .admitted)
  }

  /// A client of a release that is shown a chain at a host; nil if the result isn't the one that is asked about.
  func witness(
    ofRelease number: Int?, host: HostName, port: UInt16?, at instant: Instant, shown chain: PresentedChain,
    _ outcome: Witness.Outcome
  ) -> Witness? {
    guard let number else { return nil }
    let release = scenario.releases[number]
    let port = port ?? 443
    let verdict: Verdict
    switch release.manifest.govern(host: host.text, port: port, at: instant) {
    case .answered(let answer): verdict = answer
    case .pinned(let entry): verdict = release.manifest.decide(chain, for: entry)
    }
    let isBlocked = if case .block = verdict { true } else { false }
    guard isBlocked == (outcome == .blocked) else { return nil }
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
      host: HostLabel.text(host: host, port: port), instant: "\(instant)",
      until: isBlocked ? scenario.run(ofRelease: number).end.map { "\($0)" } : nil, place: nil, chain: links(chain),
      outcome: outcome, reason: release.manifest.reason(for: verdict))
  }

  /// The least chain that a server can present with a key of a policy at the place where it may be.
  func chain(of key: Policy.Key, _ pin: Pin) -> PresentedChain {
    switch key.position?.value {
    case .leaf?, nil: PresentedChain([pin])
    case .intermediate?: PresentedChain([nil, pin, nil])
    case .root?, .ca?: PresentedChain([nil, pin])
    }
  }

  /// The certificates of a chain by what is known of their keys.
  func links(_ chain: PresentedChain?) -> [Witness.Link] {
    chain.map { Witness.Link.links($0) { names[$0] } } ?? []
  }
}

extension Witness {
  /// A lockout, as the one case that proves it; with what keys are called, nil for one that has no name.
  package init(_ lockout: Lockout, naming name: (Pin) -> String?) {
    let (release, landing) = (lockout.release, lockout.landing)
    var reason = lockout.reason
    let isNoKey = lockout.obstacle == .verdict(.mismatch(.noKey))
    if isNoKey {
      // If the chain's end isn't known, there is no validated chain.
      if landing.trust.hasUnknownEnd { reason = "none of the entry's pins matches what is known of the chain" }
      reason += release.manifest.misplacement(at: lockout.server.part, in: landing.trust.chain)
    }
    if case .refused(let failure, _, _) = landing.trust, lockout.question == .pins {
      // A pinned key may be in the unknown part, so the trust failure comes first.
      reason =
        landing.trust.hasUnknownEnd
        ? "trust evaluation failed: \(failure); besides, \(reason)" + (isNoKey ? "" : ", as far as the chain is known")
        : "\(reason); besides, trust evaluation failed: \(failure)"
    }
    self.init(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: lockout.view.kind,
      host: lockout.server.label, instant: "\(lockout.begin)",
      until: lockout.end.map { "\($0)" },
      // Assumed landings have no address; the chain names the keys.
      place: lockout.phase.source == .observed ? landing.place : nil,
      chain: Link.links(landing.trust.chain, naming: name),
      reason: reason)
  }
}

extension LoadedManifest {
  /// What follows on "no pin matches", if a key is there at a position that doesn't count.
  fileprivate func misplacement(at server: Server, in chain: PresentedChain) -> String {
    let host = server.host.text
    guard let entry = try? tables.entry(for: host.utf8Span.span, port: server.port) else { return "" }
    return misplacedKey(ofEntry: entry, in: chain.pins).map { ": " + $0 } ?? ""
  }
}

extension Witness.Link {
  /// The certificates of a chain by what is known of their keys.
  static func links(_ chain: PresentedChain, naming name: (Pin) -> String?) -> [Witness.Link] {
    chain.pins.enumerated().map { number, pin in
      let position: ChainPosition = number == 0 ? .leaf : number == chain.pins.count - 1 ? .root : .intermediate
      return Witness.Link(position: position.rawValue, pin: pin.map { "\($0)" }, name: pin.flatMap(name))
    }
  }
}

extension RotationFacts {
  func name(_ pin: Pin) -> String { names[pin] ?? pin.description }

  /// The first three servers of a group, and the number of others.
  func servers(_ group: LockoutGroup, joinedBy conjunction: String = "and") -> String {
    Wording.list(group.servers.map(\.label), most: 4, joinedBy: conjunction)
  }

  /// `clients of serial 5 and serial 6`; `clients of this policy`.
  func clients(_ group: LockoutGroup) -> String { "clients of " + group.releases.map(\.name).listed() }

  func keyList(_ keys: [Pin]) -> String { Wording.list(keys.map(name), most: 4) }

  /// What a group's servers do with its keys: `is still presented by 'api.example.com:443'`.
  func presentation(_ group: LockoutGroup, still: Bool = false) -> String {
    let verb = group.keys.count == 1 ? "is" : "are"
    let adverb = still ? " still" : ""
    let begin = group.first.phase.begin
    switch group.first.phase.source {
    case .observed: return "\(verb)\(adverb) presented by \(servers(group))"
    case .assumed: return "may\(adverb) be presented by \(servers(group, joinedBy: "or"))"
    case .planned: return "will be presented by \(servers(group)) from \(begin) on"
    case .afterLoss: return "\(verb) what is left to present for \(servers(group)) from \(begin) on"
    }
  }

  /// The key set that the first of a group's servers is checked against: `key set 'public-web'`.
  func setTitle(_ group: LockoutGroup) -> String? { keySet(of: group.first.server.part)?.title }
}
