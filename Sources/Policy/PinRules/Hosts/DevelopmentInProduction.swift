import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

extension Rule {
  /// Something that was meant for development only is in another audience's manifest.
  static let developmentInProduction = Rule(
    code: "P218",
    name: "development-in-production",
    severity: .error,
    title: "An anchor or host of one audience is in another's manifest, or is enforced in development only.",
    rationale: """
      The anchor of a development CA makes clients trust certificates that are issued with little care. A host of
      development in production's manifest tells its name to everybody. A host that is enforced in development and not in
      production was probably forgotten there.

      `development: true` marks an audience. An anchor is one for development if an overlay of such an audience names it,
      or an entry that is only for such audiences. This guess is wrong if production uses the same CA on purpose: `anchors:`
      in the audience then lists those that only this audience may trust or pin. `domains:` lists the domains in which only
      this audience may have hosts.
      """,
    failing: .publicWeb(audiences("[api.example.com]")),
    passing: .publicWeb(audiences("[staging.example.com]")),
    citation: "docs/audiences.md",
    check: .policy { input in anchors(input) + domains(input) + modes(input) })

  private static func audiences(_ domains: String) -> String {
    """
    manifest:
      audiences:
        production: { refresh-after: 1d }
        staging: { development: true, domains: \(domains) }
    hosts:
      - host: api.example.com
        audiences: [production]
        keys: public-web
    """
  }

  // MARK: Anchors

  private static func anchors(_ input: CheckInput) -> [Finding] {
    let meant = anchorsOfOthers(input.policy)
    guard !meant.isEmpty else { return [] }
    let trusted = input.firstHostsOfTrust.compactMap { index -> Finding? in
      let entry = input.policy.hosts[index]
      guard let trust = entry.trust, let anchor = trust.trustedKeys.lazy.compactMap({ meant[$0] }).first else {
        return nil
      }
      return finding(at: trust.place, "'\(entry.label)' trusts", anchor)
    }
    var seen: Set<Int> = []
    let used = Set(input.policy.hosts.compactMap { $0.keySet?.value }).sorted()
    let pinned = used.flatMap { input.policy.keySets[$0].members }.compactMap { member -> Finding? in
      let key = input.policy.keys[member.key]
      guard !key.isDenied, seen.insert(member.key).inserted, let anchor = key.pin.flatMap({ meant[$0] }) else {
        return nil
      }
      return finding(at: member.place, "'\(key.name.value)' pins", anchor)
    }
    return trusted + pinned
  }

  private struct Anchor {
    /// Whose it is by the policy's word; nil where it is guessed from an entry for development.
    var audience: String?
    var place: Place
  }

  /// The anchors that other audiences have for themselves.
  ///
  /// They are compared by their keys: a certificate that is issued again is the same anchor.
  private static func anchorsOfOthers(_ policy: Policy) -> [Pin: Anchor] {
    let own = policy.environment
    var meant: [Pin: Anchor] = [:]
    for anchor in policy.reservedAnchors where anchor.audience != own && meant[anchor.pin] == nil {
      meant[anchor.pin] = Anchor(audience: anchor.audience, place: anchor.place)
    }
    let shared = Set(policy.hosts.compactMap { $0.trust?.place })
    let stated = Set(policy.reservedAnchors.map(\.audience))
    for development in policy.developments where !stated.contains(development.environment ?? "") {
      for trust in development.hosts.lazy.compactMap(\.trust) where !shared.contains(trust.place) {
        for anchor in trust.trustedKeys where meant[anchor] == nil { meant[anchor] = Anchor(place: trust.place) }
      }
    }
    for anchor in policy.reservedAnchors where anchor.audience == own { meant[anchor.pin] = nil }
    return meant
  }

  private static func finding(at place: Place, _ what: String, _ anchor: Anchor) -> Finding {
    guard let audience = anchor.audience else {
      return Finding(
        at: place, "\(what) an anchor that an entry for development names too",
        related: [Diagnostic.Related("here it is for development", at: anchor.place)],
        help:
          "If it is the CA for development, use another anchor here. If it isn't, list the anchors of development in "
          + "the audience: 'anchors: [FILE, ...]'.")
    }
    return Finding(
      at: place, "\(what) an anchor of the audience '\(audience)'",
      related: [Diagnostic.Related("its anchors are here", at: anchor.place)], help: "Use another anchor here.")
  }

  // MARK: Hosts

  private static func domains(_ input: CheckInput) -> [Finding] {
    let own = input.policy.environment
    var domains: [String: (audience: String, place: Place)] = [:]
    let audiences = input.policy.statedAudiences
    for audience in audiences + audiences.filter({ $0.name.value == own }) {
      for domain in audience.domains {
        guard let host = try? InternationalName.host(domain.value) else { continue }
        domains[host.text] = audience.name.value == own ? nil : (audience.name.value, domain.place)
      }
    }
    guard !domains.isEmpty else { return [] }
    func finding(_ host: HostName, at place: Place, _ message: String, _ help: (String) -> String) -> Finding? {
      guard let owner = ([host.text] + host.namesAbove).lazy.compactMap({ domains[$0] }).first else { return nil }
      return Finding(
        at: place, "\(message) in a domain of the audience '\(owner.audience)'",
        related: [Diagnostic.Related("its domains are here", at: owner.place)], help: help(owner.audience))
    }
    return input.policy.hosts.flatMap { entry in
      let name = entry.trust?.serverName.flatMap { name in
        finding(name.value, at: name.place, "'\(entry.label)' expects a certificate for '\(name.value)',") { _ in
          "Expect the name of the host itself, or of one outside of these domains."
        }
      }
      let host = finding(entry.host, at: entry.written.place, "'\(entry.label)' is") { audience in
        "Write 'audiences: [\(audience)]' in the entry."
      }
      return [host, name].compactMap(\.self)
    }
  }

  /// What development audiences say of an entry, by the label that it has before they give it another host.
  private static func developmentEntries(_ policy: Policy) -> [(label: String, entry: Policy.HostEntry)] {
    policy.developments.flatMap { development in
      let overlays = development.statedAudiences.first { $0.name.value == development.environment }?.overlays ?? []
      var before: [String: String] = [:]
      for overlay in overlays {
        guard let new = overlay.newLabel, let old = overlay.entry.label else { continue }
        before[new] = old
      }
      return development.hosts.map { (before[$0.label] ?? $0.label, $0) }
    }
  }

  private static func modes(_ input: CheckInput) -> [Finding] {
    var enforced: [String: Policy.HostEntry] = [:]
    for (label, entry) in developmentEntries(input.policy) where entry.mode.value == .enforce {
      enforced[label] = entry
    }
    return input.policy.hosts.compactMap { entry in
      guard let other = enforced[entry.label] else { return nil }
      func finding(_ place: Place, _ message: String, _ note: String, _ otherPlace: Place, _ help: String) -> Finding {
        Finding(
          at: place, "'\(entry.label)' \(message)",
          related: place == otherPlace ? [] : [Diagnostic.Related(note, at: otherPlace)],
          help: "\(help), or suppress this finding with the reason.", severity: .warning)
      }
      guard entry.mode.value == .enforce else {
        return finding(
          entry.mode.place,
          "is \(entry.mode.value == .off ? "off" : "only reported") here, and enforced in development",
          "it is enforced here", other.written.place, "Enforce it here too")
      }
      guard let action = entry.onExpiry, let theirs = other.onExpiry, action.value.strictness < theirs.value.strictness
      else { return nil }
      return finding(
        action.place, "has 'on-expiry: \(action.value.rawValue)' here, and '\(theirs.value.rawValue)' in development",
        "it is stricter here", theirs.place, "Write 'on-expiry: \(theirs.value.rawValue)' here too")
    }
  }
}

extension Policy {
  /// The audiences as the policy states them.
  fileprivate var statedAudiences: [ParsedAudience] { files.lazy.compactMap(\.settings).first?.audiences ?? [] }

  /// The audience with a manifest of all hosts: its own, or that of which it is a slice.
  fileprivate var environment: String? {
    guard let name = settings?.audience?.value else { return nil }
    return statedAudiences.first { $0.name.value == name }?.sliceOf?.value ?? name
  }
}

extension Policy.Trust {
  /// The keys of all certificates that end a path or stand for one.
  fileprivate var trustedKeys: [Pin] {
    (anchorFiles.flatMap(\.value) + [certificate?.value].compactMap(\.self)).map(\.pin)
  }
}
