import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned root that clients soon won't trust.
  package static let rootLeavesStore = Rule(
    code: "P342",
    name: "root-leaves-store",
    severity: .warning,
    title: "A trust store of the clients removes or distrusts a pinned root before the host entry expires.",
    rationale: """
      A root that isn't in a trust store can't be the anchor of a path there. Hosts have to move to another root, or
      clients with the updated store can't connect. `stores:` in the manifest file says which stores the clients have;
      the default is Mozilla's list and its copies in Debian and certifi.

      Stores can also distrust certificates that are *issued after* a day, and keep the root for some time. OpenSSL
      doesn't know such days, so clients of Pintle trust these certificates until the root is removed. But the CA stops
      issuing under that root.

      In `pintle check`, the finding is an error if the day is past or nearer than `expiry-warning` of the manifest
      file, and a key set that is enforced has no other active key that lasts longer.
      """,
    failing: Example(
      """
      version: 1
      keys:
        entrust-root-g2: { pin: sha256/du6FkDdMcVQ3u8prumAo6t3i3G27uMP2EOhR8R0at/U=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [entrust-root-g2], backup: [gts-root-r1] }
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-06-01
          on-expiry: report-only
      """),
    passing: Example(
      """
      version: 1
      keys:
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
        usertrust-rsa: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
      key-sets:
        public-web: { active: [gts-root-r1], backup: [usertrust-rsa] }
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "docs/authorities.md",
    check: .policy { input in input.authorities.keys.compactMap { departure(of: $0, input) } })
}

private func departure(of pinned: PinnedAuthorities.PinnedKey, _ input: CheckInput) -> Finding? {
  let key = input.policy.keys[pinned.key]
  let stores = input.policy.effectiveSettings.stores
  guard !key.isDenied, pinned.known.position == .root,
    let departure = pinned.known.departures(from: stores).min(by: { $0.date.instant < $1.date.instant }),
    // Where the end of issuance comes first, its finding has this day too.
    input.authorities.known.issuanceEnd(of: pinned.known).map({ $0.instant > departure.date.instant }) ?? true
      || issuanceEnd(of: pinned, input) == nil
  else { return nil }
  // Paths end at a root that this one certified, where the set has such a one.
  let below = input.authorities.known.roots(certifiedBy: pinned.known).filter { root in
    root.departures(from: stores).allSatisfy { $0.date.instant > departure.date.instant }
  }
  let uses = pinned.uses.filter { use in
    let pins = input.pins(of: use)
    return !input.goesOn(after: pinned.known, in: use) && !below.contains { pins.contains($0.pin) }
      && departure.date.instant < input.longest([use]).expires
  }
  guard !uses.isEmpty else { return nil }
  let day = input.day(of: departure.date.instant)
  let message =
    switch (departure.isRemoval, departure.date.instant <= input.instant) {
    case (true, false): "root '\(key.name.value)' leaves \(departure.store.title) on \(day)"
    case (true, true): "root '\(key.name.value)' left \(departure.store.title) on \(day)"
    case (false, _):
      "certificates issued under '\(key.name.value)' after \(day) aren't trusted by \(departure.store.title)"
    }
  return Finding(
    at: key.name.place, message,
    related: [input.reliance(on: uses)],
    help: "Ask the operators of the hosts which root they will use next, and pin it as well."
      + (departure.isRemoval ? "" : " OpenSSL ignores this day, but the CA stops issuing under the root."),
    citation: departure.date.source.citation, severity: input.severity(on: departure.date.instant, of: uses))
}

extension AuthorityKey {
  /// The days on which the root leaves stores, or after which certificates under it aren't trusted there.
  fileprivate func departures(
    from names: [TrustStoreName]
  ) -> [(store: TrustStoreName, date: DatedStatement, isRemoval: Bool)] {
    names.flatMap { name in
      guard let standing = stores[name] else { return [(TrustStoreName, DatedStatement, Bool)]() }
      return [(standing.distrustAfter, false), (standing.until, true)].compactMap { date, isRemoval in
        date.map { (name, $0, isRemoval) }
      }
    }
  }
}

extension TrustStoreName {
  /// As messages name the store.
  package var title: String {
    switch self {
    case .mozilla: "Mozilla's root store"
    case .debian: "Debian's ca-certificates"
    case .certifi: "certifi"
    case .chrome: "Chrome's root store"
    case .apple: "Apple's root store"
    case .microsoft: "Microsoft's root store"
    case .android: "Android's root store"
    case .java: "Java's root store"
    }
  }
}
