package import Diagnostics
import PinFormat
package import PinPolicy

/// A key set for the hosts of an authority or service: from what is known and from the local trust store, never from
/// what a server showed.
package struct KeySetSuggestion {
  package struct Member {
    package let key: AuthorityKey
    /// The key's name in the policy that has its pin already; nil for one that has to be added.
    package let present: String?
    /// Its root in the local trust store.
    package let anchor: LocalAnchors.Anchor
    /// The first day that is known on which it ends.
    let ends: (instant: Instant, what: String)

    package var name: String { present ?? key.name.key }
    package var path: String { "keys/\(key.name.key).pem" }
  }

  package let name: String
  package let active: [Member]
  /// The root of another owner, to which the hosts could move.
  package let backup: Member?
  /// Roots of the authorities that aren't in the local trust store.
  private let elsewhere: [AuthorityKey]
  private let store: String

  /// - Parameters:
  ///   - name: An authority or service.
  ///   - known: What is known on the day.
  ///   - policy: The policy that the set is for, whose names and `stores:` count; nil for none.
  ///   - anchors: The local trust store.
  /// - Throws: ``WorkFailure`` where nothing is known of the name, or no root of it can be suggested.
  package init(
    for name: String, _ known: Authorities, policy: Policy?, anchors: LocalAnchors
  ) throws(WorkFailure) {
    let names = known.service(named: name)?.authorities ?? [name]
    let authorities = names.compactMap { known.authority(named: $0) }
    guard !authorities.isEmpty else {
      throw WorkFailure(
        .usage, "nothing is known of \(Wording.quoted(name))",
        help: Suggestion.nearest(to: name, among: AuthorityText(known).names).map { "Did you mean '\($0)'?" }
          ?? "'pintle authorities list' lists the names.")
    }
    let stores = policy?.effectiveSettings.stores ?? TrustStoreName.mozillaLine
    let nextYear = known.instant.adding(seconds: 365 * 86_400)
    var present: [Pin: String] = [:]
    for key in policy?.keys ?? [] where !key.isDenied { if let pin = key.pin { present[pin] = key.name.value } }
    func member(_ key: AuthorityKey) -> Member? {
      guard let anchor = anchors[key.pin] else { return nil }
      return Member(key: key, present: present[key.pin], anchor: anchor, ends: key.end(in: stores))
    }
    let successors = Set(authorities.flatMap(\.keys).flatMap(\.successors).map(\.key))
    func lasts(_ key: AuthorityKey) -> Bool {
      let isInUse = anchors[key.pin] != nil || key.stores.values.contains { $0.since != nil }
      return key.position == .root && key.end(in: stores).instant > nextYear
        && (isInUse || successors.contains(key.name))
    }
    let roots = authorities.map { $0.keys.filter(lasts) }
    active = roots.flatMap(\.self).compactMap(member)
    elsewhere = roots.flatMap(\.self).filter { anchors[$0.pin] == nil }
    let owners = Set(authorities.map(\.owner))
    // An authority that many services issue from issues for everybody.
    let popular = known.services.flatMap(\.authorities).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    backup =
      known.authorities.filter { !owners.contains($0.owner) }
      .flatMap { authority in
        authority.keys.filter(lasts).compactMap(member).map { (popular[authority.name] ?? 0, $0) }
      }
      .max { ($0.0, $0.1.ends.instant, $1.1.name) < ($1.0, $1.1.ends.instant, $0.1.name) }?.1
    self.name = name
    store = anchors.path
    guard !active.isEmpty else {
      throw WorkFailure(
        .failed, "no root of \(Wording.quoted(name)) that lasts another year is in '\(VisibleText.of(store))'",
        help: "'pintle authorities show \(name)' shows what is known of its keys. Update the trust store, or name "
          + "another one in SSL_CERT_FILE.")
    }
  }

  /// The members whose certificates have to be added to the policy.
  package var added: [Member] { (active + [backup].compactMap(\.self)).filter { $0.present == nil } }

  /// What belongs into a policy file.
  package var policy: String {
    let keys = added.map { member in
      "  # \(member.key.subject)\n  # SHA-256 fingerprint \(member.anchor.fingerprint.hex), from \(store)\n"
        + "  \(member.name): { file: \(member.path), position: root }\n"
    }
    return "version: 1\n" + (keys.isEmpty ? "" : "\nkeys:\n" + keys.joined(separator: "\n"))
      + "\nkey-sets:\n  \(name):\n    active: [\(active.map(\.name).joined(separator: ", "))]\n"
      + (backup.map { "    backup: [\($0.name)]\n" } ?? "")
  }

  /// Why each key is in it, and until when.
  package var reasons: String {
    var table = Table()
    for member in active {
      table.add(member.name, "active", "a root of \(member.key.name.authority)", member.until)
    }
    if let backup {
      table.add(backup.name, "backup", "a root of another owner, \(backup.key.name.authority)", backup.until)
    }
    let others = elsewhere.map { key in
      "  \(key.name.key) isn't in \(store): add it once it is, or after you have compared its pin, \(key.pin), with "
        + "\(key.source.url)\n"
    }
    return table.text(indent: 2) + others.joined()
  }
}

extension KeySetSuggestion.Member {
  fileprivate var until: String { "until \(String("\(ends.instant)".prefix { $0 != "T" })) (\(ends.what))" }
}

extension AuthorityKey {
  /// The first day that is known on which the key can't be relied on any more.
  fileprivate func end(in names: [TrustStoreName]) -> (instant: Instant, what: String) {
    var ends: [(Instant, String)] = [(expires, "its certificate ends")]
    if let end = issuesUntil { ends.append((end.instant, "no certificates are issued under it")) }
    for name in names {
      guard let standing = stores[name] else { continue }
      if let date = standing.distrustAfter {
        ends.append((date.instant, "\(name.title) distrusts what is issued later"))
      }
      if let date = standing.until { ends.append((date.instant, "it leaves \(name.title)")) }
    }
    return ends.reduce(ends[0]) { $1.0 < $0.0 ? $1 : $0 }
  }
}
