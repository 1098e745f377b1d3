import Diagnostics
import PinPolicy

extension Rule {
  /// A pinned key under which its authority stops issuing.
  package static let issuanceEnds = Rule(
    code: "P341",
    name: "issuance-ends",
    severity: .warning,
    title: "An authority stops issuing certificates under a pinned key before the host entry expires.",
    rationale: """
      From that day on, certificates are issued under another key. Clients are locked out of hosts whose key set lacks
      that key: of each host from its next renewal on. Authorities announce such days months ahead, but to their
      customers and not to those who pinned their keys. What they have published is built into `pintle`, with its
      sources.

      In `pintle check`, the finding is an error if the day is past or nearer than `expiry-warning` of the manifest
      file, and a key set that is enforced has no other active key that lasts longer.
      """,
    failing: Example(
      """
      version: 1
      keys:
        globalsign-root-r3: { pin: sha256/cGuxAXyFXFkWm61cF4HPWX8S0srS9j0aSqN0k4AP+4A=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [globalsign-root-r3], backup: [gts-root-r1] }
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
        globalsign-root-r3: { pin: sha256/cGuxAXyFXFkWm61cF4HPWX8S0srS9j0aSqN0k4AP+4A=, position: root }
        globalsign-root-r46: { pin: sha256/rn+WLLnmp9v3uDP7GPqbcaiRdd+UnCMrap73yz3yu/w=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [globalsign-root-r3, globalsign-root-r46], backup: [gts-root-r1] }
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "docs/authorities.md",
    check: .policy { input in input.authorities.keys.compactMap { issuanceEnd(of: $0, input) } })
}

/// The finding about a key under which its authority stops issuing while hosts rely on it; nil if there is none.
func issuanceEnd(of pinned: PinnedAuthorities.PinnedKey, _ input: CheckInput) -> Finding? {
  let key = input.policy.keys[pinned.key]
  // Of a certificate at hand, the rule about CAs that expire first says when it ends.
  let expiry = key.material?.certificate == nil ? pinned.known.expiry : nil
  guard !key.isDenied,
    let end = [input.authorities.known.issuanceEnd(of: pinned.known), expiry].compactMap(\.self)
      .min(by: { $0.instant < $1.instant })
  else { return nil }
  let uses = pinned.uses.filter {
    !input.goesOn(after: pinned.known, in: $0) && end.instant < input.longest([$0]).expires
  }
  guard !uses.isEmpty else { return nil }
  let isExpiry = end == expiry
  let successors = pinned.known.successors.compactMap { input.authorities.known[$0.key] }
  let leaving = input.policy.effectiveSettings.stores.compactMap { store in
    pinned.known.stores[store]?.until.map { (store, $0) }
  }.min { $0.1.instant < $1.1.instant }
  var related = [input.reliance(on: uses)]
  if let (store, until) = leaving {
    related.append(
      Diagnostic.Related("it leaves \(store.title) on \(input.day(of: until.instant))", at: key.sourcePlace))
  }
  let isOver = end.instant <= input.instant
  let moved = pinned.known.successors.filter { $0.date.instant == end.instant }
    .compactMap { input.authorities.known[$0.key] }
  let next = successors.map { "'\($0.name.key)'" }.listed()
  let suggest = "'pintle authorities suggest \(pinned.known.name.authority)'"
  let help =
    if successors.isEmpty {
      "Ask the operators of the hosts which CA they will use next, and pin its key as well."
    } else if pinned.known.position == .issuing {
      "Pin the authority's roots, since its intermediates change more often: \(suggest) shows them."
    } else {
      "Pin \(next) as well: \(suggest) shows how."
    }
  let event =
    if isExpiry {
      "the certificate of '\(key.name.value)' \(isOver ? "expired" : "expires")"
    } else if moved.isEmpty {
      "issuance under '\(key.name.value)' \(isOver ? "ended" : "ends")"
    } else {
      "issuance \(isOver ? "moved" : "moves") from '\(key.name.value)' to "
        + moved.map { "'\($0.name.key)'" }.listed()
    }
  return Finding(
    at: key.name.place, "\(event) on \(input.day(of: end.instant))",
    related: related,
    help: help,
    citation: end.source.citation, severity: input.severity(on: end.instant, of: uses),
    witness: (moved.first ?? successors.first).map { input.witness(uses, from: end.instant, root: $0) },
    fixes: input.pinning(successors, beside: pinned.key, in: uses))
}
