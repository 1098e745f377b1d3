import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned root that another root replaces at the end of the path.
  static let newerRoot = Rule(
    code: "P343",
    name: "newer-root",
    severity: .warning,
    title: "Paths through a pinned root end at a newer root in some trust stores.",
    rationale: """
      A path ends at the first trust anchor. When an authority makes a new root, its old root certifies it, and servers
      send that certificate too. For a client whose trust store has the new root, the path ends there, and the old root
      isn't in it. So the pin of the old root matches on one machine and not on another, or stops matching after an
      update of the trust store. Pin both roots.

      A new root to which issuance has moved comes into trust stores sooner or later, so it is reported before it is in any.
      """,
    failing: Example(
      """
      version: 1
      keys:
        starfield-services-root-g2: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [starfield-services-root-g2], backup: [gts-root-r1] }
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
        starfield-services-root-g2: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I=, position: root }
        amazon-root-ca-1: { pin: sha256/++MBgDH5WGvL9Bcn5Be30cRcL0f5O+NyoXuWtQdX1aI=, position: root }
        amazon-root-ca-3: { pin: sha256/NqvDJlas/GRcYbcWE8S/IceH9cq77kg0jVhZeAPXq8k=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web:
          active: [starfield-services-root-g2, amazon-root-ca-1, amazon-root-ca-3]
          backup: [gts-root-r1]
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "RFC 4158 section 2.4; docs/authorities.md",
    check: .policy { input in input.authorities.keys.compactMap { elsewhere($0, input) } })
}

private func elsewhere(_ pinned: PinnedAuthorities.PinnedKey, _ input: CheckInput) -> Finding? {
  let key = input.policy.keys[pinned.key]
  guard !key.isDenied, pinned.known.position == .root else { return nil }
  let known = input.authorities.known
  let below = known.roots(certifiedBy: pinned.known)
  // A pin that asks for the root doesn't match a key that has another one above it.
  let above =
    key.position?.value == .root
    ? pinned.known.signedBy.compactMap { known[$0.key] }.filter { $0.created > pinned.known.created } : []
  let ends = (below + above).compactMap { root in root.firstAnchored(after: pinned.known).map { (root, $0) } }
  var missing: [(root: AuthorityKey, date: DatedStatement)] = []
  let uses = pinned.uses.filter { use in
    let pins = input.pins(of: use)
    let lacking = ends.filter { !pins.contains($0.0.pin) && $0.1.instant < input.longest([use]).expires }
    for end in lacking where !missing.contains(where: { $0.root.pin == end.0.pin }) { missing.append(end) }
    return !lacking.isEmpty
  }
  guard let earliest = missing.min(by: { $0.date.instant < $1.date.instant }) else { return nil }
  let names = missing.map { "'\($0.root.name.key)'" }
  // A day of a store counts before one on which issuance moves.
  let anchored = missing.compactMap { missing in missing.root.firstAnchor.map { (root: missing.root, date: $0) } }
  let first = anchored.min { $0.date.instant < $1.date.instant } ?? earliest
  let day = input.day(of: first.date.instant)
  let isPast = first.date.instant <= input.instant
  let event =
    anchored.isEmpty
    ? "once a trust store has it; issuance \(isPast ? "moved" : "moves") to it on \(day)"
    : "in trust stores that have it (\(missing.count > 1 ? "'\(first.root.name.key)' " : "")\(isPast ? "since" : "from") \(day))"
  return Finding(
    at: key.name.place,
    "paths through '\(key.name.value)' end at \(names.listed("or")) \(event)",
    related: [input.reliance(on: uses)],
    help: "Pin \(names.listed()) as well: 'pintle authorities suggest \(pinned.known.name.authority)' shows how.",
    citation: first.date.source.citation, severity: uses.contains(where: \.isEnforced) ? nil : .note,
    witness: !anchored.isEmpty ? input.witness(uses, from: first.date.instant, root: first.root) : nil,
    fixes: input.pinning(missing.map(\.root), beside: pinned.key, in: uses))
}
