package import Diagnostics
import PinFormat
package import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinValidator

/// A key set for the hosts of an authority or service: from what is known and from the local trust store, never from
/// what a server showed.
package struct KeySetSuggestion {
  package struct Member {
    package let key: AuthorityKey
    /// The key's name in the policy.
    package let name: String
    /// Whether the policy has the key already.
    let isPresent: Bool
    /// Its root in the local trust store.
    package let anchor: LocalAnchors.Anchor
    /// The first day that is known on which it ends.
    let ends: (instant: Instant, what: String)

    package var path: String { "keys/\(name).pem" }
  }

  /// The name of the key set.
  package let name: String
  /// Whether the policy has a key set of that name.
  package let isNameTaken: Bool
  private let service: String?
  package let active: [Member]
  /// The root of another owner, to which the hosts could move.
  package let backup: Member?
  /// Roots of the authorities that aren't in the local trust store.
  private let elsewhere: [AuthorityKey]
  /// Roots of the authorities that are there, and below which clients accept no certificate of the host; with the reason.
  private let rejected: [(key: AuthorityKey, why: String)]
  private let store: String
  /// Which certificates of the trust store can't be read, as a sentence; nil if all can.
  private let unreadAnchors: String?

  /// - Parameters:
  ///   - name: An authority, a service, or a host of the policy, which stands for the authorities of its active keys.
  ///   - known: What is known on the day.
  ///   - policy: The policy that the set is for, whose names and `stores:` count; nil for none.
  ///   - anchors: The local trust store.
  /// - Throws: ``WorkFailure`` where nothing is known of the name, or no root can be suggested.
  package init(
    for name: String, _ known: Authorities, policy: Policy?, anchors: LocalAnchors
  ) throws(WorkFailure) {
    let host = policy?.hosts.first { $0.host.text == name || $0.label == name }
    // A host whose set names a service gets certificates from all of its authorities.
    let named = host.flatMap { $0.keySet?.value }.flatMap { policy?.keySets[$0].service?.value }
    let service = known.service(named: name) ?? named.flatMap { known.service(named: $0) }
    var names = service?.authorities ?? [name]
    if let host, service?.name != name {
      // What the service says of itself, and what the host has today.
      let own = Self.authorities(of: host, in: policy, known)
      guard service != nil || !own.isEmpty else {
        throw WorkFailure(
          .failed, "no active key of '\(host.label)' belongs to a known authority",
          help: "Name the authority that issues the host's certificates: 'pintle authorities list' lists the names.")
      }
      names = (service?.authorities ?? []) + own.filter { service?.authorities.contains($0) != true }
    }
    let authorities = names.compactMap { known.authority(named: $0) }
    guard !authorities.isEmpty else { throw Self.unknown(name, known, policy) }
    let stores = policy?.effectiveSettings.stores ?? TrustStoreName.mozillaLine
    let nextYear = known.instant.adding(seconds: 365 * 86_400)
    var present: [Pin: String] = [:]
    var denied: Set<Pin> = []
    for key in policy?.keys ?? [] {
      guard let pin = key.pin else { continue }
      if key.isDenied { denied.insert(pin) } else { present[pin] = key.name.value }
    }
    // Another key of the policy or of another authority may have the name.
    let taken = Set((policy?.keys ?? []).map(\.name.value))
    let uses = known.authorities.flatMap(\.keys).reduce(into: [:]) { $0[$1.name.key, default: 0] += 1 }
    func member(_ key: AuthorityKey) -> Member? {
      guard let anchor = anchors[key.pin] else { return nil }
      var free = key.name.key
      if taken.contains(free) || uses[free] != 1 { free = "\(key.name.authority)-\(free)" }
      while taken.contains(free) { free += "-2" }
      return Member(
        key: key, name: present[key.pin] ?? free, isPresent: present[key.pin] != nil, anchor: anchor,
        ends: key.end(in: stores))
    }
    let successors = Set(authorities.flatMap(\.keys).flatMap(\.successors).map(\.key))
    func lasts(_ key: AuthorityKey) -> Bool {
      let isInUse = anchors[key.pin] != nil || key.stores.values.contains { $0.since != nil }
      return key.position == .root && !denied.contains(key.pin) && key.end(in: stores).instant > nextYear
        && (isInUse || successors.contains(key.name))
    }
    let roots = authorities.flatMap { $0.keys.filter(lasts) }
    let trial = RootTrial(of: host, anchors, at: known.instant)
    rejected = roots.compactMap { key in trial.failure(of: key.pin).map { (key, $0.message) } }
    active = roots.filter { trial.failure(of: $0.pin) == nil }.compactMap(member)
    elsewhere = roots.filter { anchors[$0.pin] == nil }
    let owners = Set(authorities.map(\.owner))
    // An authority that many services get certificates from issues for everybody.
    let popular = known.services.flatMap(\.authorities).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    backup =
      known.authorities.filter { !owners.contains($0.owner) }
      .flatMap { authority in
        authority.keys.filter { lasts($0) && trial.failure(of: $0.pin) == nil }.compactMap(member).map {
          (popular[authority.name] ?? 0, $0)
        }
      }
      .max { ($0.0, $0.1.ends.instant, $1.1.name) < ($1.0, $1.1.ends.instant, $0.1.name) }?.1
    let title = service?.name ?? (host == nil ? name : authorities.map(\.name).joined(separator: "-"))
    self.name = title
    self.service = service?.name
    isNameTaken = policy?.keySets.contains { $0.name == title } ?? false
    store = anchors.path
    unreadAnchors =
      anchors.unread > 0 ? "\(counted(anchors.unread, "certificate")) in \(VisibleText.of(store)) can't be read" : nil
    guard !active.isEmpty else {
      throw WorkFailure(
        .failed, "the trust store '\(VisibleText.of(store))' has no root of \(Wording.quoted(name)) that lasts a year",
        help: "'pintle authorities show \(name)' shows what is known of its keys. Update the trust store, or set "
          + "SSL_CERT_FILE to another one." + (unreadAnchors.map { " \($0)." } ?? ""))
    }
    guard backup != nil else {
      throw WorkFailure(
        .failed, "the trust store '\(VisibleText.of(store))' has no root of another owner for the backup key",
        help: "It has to last a year, and not be denied. Update the trust store, or set SSL_CERT_FILE to another one.")
    }
  }

  /// The members whose certificates have to be added to the policy.
  package var added: [Member] { (active + [backup].compactMap(\.self)).filter { !$0.isPresent } }

  /// What belongs into a policy file.
  package var policy: String {
    let keys = added.map { member in
      origin(of: member).map { "  # \($0)\n" }.joined()
        + "  \(member.name): { file: \(member.path), position: root }\n"
    }
    let others = elsewhere.map { key in
      """
        # \(VisibleText.of(key.subject)), which isn't in \(VisibleText.of(store)).
        # Before you pin it as well, compare the pin with the certificate from the authority:
        # \(key.source.url)
        # \(key.name.key): { pin: \(key.pin), position: root }

      """
    }
    return "version: 1\n" + (keys.isEmpty ? "" : "\nkeys:\n") + (keys + others).joined(separator: "\n")
      + "\nkey-sets:\n  \(name):\n    active: [\(active.map(\.name).joined(separator: ", "))]\n"
      + (backup.map { "    backup: [\($0.name)]\n" } ?? "") + (service.map { "    service: \($0)\n" } ?? "")
  }

  /// What a reviewer compares of a certificate that is added, as lines of comment.
  package func origin(of member: Member) -> [String] {
    [
      VisibleText.of(member.key.subject),
      "SHA-256 fingerprint \(member.anchor.fingerprint.hex), from \(VisibleText.of(store))",
    ]
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
    let others = elsewhere.map {
      "  \($0.name.key) isn't in \(store), so it is only a comment; if 'pintle check' asks for it (P343), pin it too\n"
    }
    let unfit = rejected.map {
      "  \($0.key.name.key) is in \(store), but clients reject every chain below it: \($0.why)\n"
    }
    let taken =
      isNameTaken ? "  the policy already has a key set '\(name)': compare it with this one, or rename this one\n" : ""
    let unread = unreadAnchors.map { "  \($0)\n" } ?? ""
    return table.text(indent: 2) + others.joined() + unfit.joined() + unread + taken
  }
}

extension KeySetSuggestion {
  /// The authorities of a host's active keys.
  private static func authorities(of host: Policy.HostEntry, in policy: Policy?, _ known: Authorities) -> [String] {
    let set = host.keySet.flatMap { policy?.keySets[$0.value] }
    let names = (set?.active ?? []).compactMap { member in
      policy?.keys[member.key].pin.flatMap { known[$0] }?.name.authority
    }
    return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The failure for a name that is neither known nor a host's.
  package static func unknown(_ name: String, _ known: Authorities, _ policy: Policy? = nil) -> WorkFailure {
    if let key = known.authorities.flatMap(\.keys).first(where: { $0.name.key == name }) {
      let owner = key.name.authority
      return WorkFailure(
        .usage, "\(Wording.quoted(name)) is a key of '\(owner)'", help: "'pintle authorities show \(owner)' shows it.")
    }
    let isHost = name.contains(".") && policy != nil
    let names = isHost ? (policy?.hosts ?? []).map(\.host.text) : AuthorityText(known).names
    let message = isHost ? " is not a host of the policy" : " is not the name of a known authority or service"
    return WorkFailure(
      .usage, Wording.quoted(name) + message,
      help: Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
        ?? (isHost
          ? "Name the authority that issues its certificates: 'pintle authorities list' lists the names."
          : "'pintle authorities list' lists the names."))
  }
}

extension KeySetSuggestion.Member {
  fileprivate var until: String { "until \(String("\(ends.instant)".prefix { $0 != "T" })) (\(ends.what))" }
}

extension AuthorityKey {
  /// The first day that is known on which the key can't be relied on any more.
  func end(in names: [TrustStoreName]) -> (instant: Instant, what: String) {
    var ends: [(Instant, String)] = [(expires, "its certificate expires")]
    if let end = issuesUntil { ends.append((end.instant, "issuance under it ends")) }
    for name in names {
      guard let standing = stores[name] else { continue }
      if let date = standing.distrustAfter {
        ends.append((date.instant, "\(name.title) distrusts certificates issued later"))
      }
      if let date = standing.until { ends.append((date.instant, "it leaves \(name.title)")) }
    }
    return ends.reduce(ends[0]) { $1.0 < $0.0 ? $1 : $0 }
  }
}

/// The validator, asked whether clients accept what a root of the local trust store issues for a host.
private struct RootTrial {
  private let declared: DeclaredTrust
  private let anchors: LocalAnchors
  private let host: HostName?
  private let trust: Manifest.Trust

  init(of entry: Policy.HostEntry?, _ anchors: LocalAnchors, at instant: Instant) {
    declared = DeclaredTrust(at: instant) { anchors[$0]?.der }
    self.anchors = anchors
    host = entry?.host
    // The root is to become an anchor, whatever the anchors are now.
    var trust = entry?.trust?.lowered ?? Manifest.Trust()
    (trust.systemAnchors, trust.anchors, trust.intermediates, trust.certificate) = (true, [], [], nil)
    self.trust = trust
  }

  /// Why they don't; nil if they do, and for a root that isn't in the store.
  func failure(of pin: Pin) -> TrustFailure? {
    guard let anchor = anchors[pin] else { return nil }
    let key = DeclaredTrust.Key(pin: pin, positions: [.root], certificate: anchor.fingerprint, algorithm: nil)
    // Without a host, which names the root may issue for doesn't matter.
    let any = try? HostName(canonicalising: "host.example.com")
    guard let host = host ?? any else { return nil }
    for fault in declared.faults(of: key, in: trust, of: host) {
      guard case .rejected(let failure) = fault.kind, self.host != nil || failure.code != .nameConstraints else {
        continue
      }
      return failure
    }
    return nil
  }
}
