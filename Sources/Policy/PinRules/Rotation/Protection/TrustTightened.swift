import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

extension Rule {
  /// Trust evaluation that lets less pass, where nobody looked whether the servers do.
  package static let trustTightened = Rule(
    code: "P627",
    name: "trust-tightened",
    severity: .warning,
    title: "Clients will reject more certificates than before, and no evidence shows that the servers meet it.",
    rationale: """
      Connections to servers that don't meet the stricter `trust` are blocked, in each mode. Only evidence has a server's TLS
      version and chain. With evidence of all servers of the entry, this release is checked against them instead. A new
      entry counts as stricter.

      It isn't reported for an anchor that has ended, that the newest release denies, or that is renewed with the same
      name, key and restrictions. It is reported for a new anchor below an active key, because paths that end at it don't
      have the key, and for one with an active intermediate's key, which doesn't match as a root.

      A denied key blocks every certificate below it. The newly denied key of a CA, as a certificate or a `position:` shows,
      is reported for the servers whose certificates it may have issued: not if paths end at other anchors, if a key's file
      shows the issuer, or if the key can be neither above nor below their CA keys. For a pin of which nothing shows whose
      it is (no `position:`, no release, no evidence), it is a note.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"))),
    citation: "docs/rotation.md#findings; RFC 9325 section 4",
    check: .rotation { _, facts in
      let seen = facts.seenEntries
      lazy var links = AnchorLinks(facts)
      var (stricter, different) = (HostPhrases(), HostPhrases())
      for change in facts.fieldChanges + facts.newlyTrusted where !seen.contains(change.entry.label) {
        guard case .trust(let trust) = change.field else { continue }
        let cutsPaths = facts.cutsPaths(trust, of: change.entry)
        guard cutsPaths || trust.rejectsMore && !facts.rejectsNothing(trust, of: change.entry) else { continue }
        let phrase = facts.phrase(trust, of: change.entry)
        if cutsPaths || trust.acceptsMore {
          different.add(change, phrase, at: change.entry.trustPlace)
        } else {
          stricter.add(change, phrase, at: change.entry.trustPlace)
        }
      }
      func finding(_ group: HostPhrases.Group, _ message: String, isDisjoint: Bool = false) -> Finding {
        Finding(
          at: group.place, message + (isDisjoint ? "; no known chain satisfies both this and the newest release" : ""),
          help: isDisjoint
            ? "Release the old and the new anchors together first. Remove the old ones when servers present chains of the "
              + "new ones, and an adoption window has passed."
            : facts.recordingHelp,
          witness: facts.witness(
            of: group.first, .blocked,
            reason: "a server that doesn't meet the new trust is blocked, whatever its keys"))
      }
      return stricter.groups.map { group in
        finding(
          group, "the trust of \(group.hosts) is stricter: \(group.phrase); no evidence shows that the servers meet it")
      }
        + different.groups.map { group in
          var isDisjoint = false
          if case .trust(let trust) = group.first.field { isDisjoint = links.separate(trust) }
          return finding(
            group, "no evidence shows that the servers of \(group.hosts) meet the new trust: \(group.phrase)",
            isDisjoint: isDisjoint)
        }
        + facts.newlyDenied.map { authority, isNew, servers in
          let hosts = Set(servers.compactMap { facts.entry(of: facts.scenario.servers[$0])?.label }).sorted()
          let server = facts.scenario.servers[servers[0]]
          let (name, places) = ("'\(authority.key.name.value)'", Wording.list(hosts, most: 4))
          return Finding(
            at: authority.key.denied?.place ?? authority.key.name.place,
            authority.isKnown
              ? "the key \(name) of a CA is \(isNew ? "newly " : "")denied; no evidence shows that the certificates of "
                + "\(places) come from other CAs"
              : "nothing shows whose key \(name) is, which is newly denied: if it is a CA's, clients block the certificates "
                + "of \(places) that this CA issued",
            help: authority.isKnown
              ? facts.recordingHelp
              : "If it is a server's key, add 'position: leaf'. Otherwise: \(facts.recordingHelp)",
            severity: authority.isKnown ? nil : .note,
            witness: facts.witness(
              ofRelease: facts.candidate, host: server.host, port: server.port, at: facts.scenario.now,
              shown: PresentedChain([nil, authority.key.pin]), .blocked))
        }
    })
}

extension RotationFacts {
  /// How the trust of hosts that aren't pinned yet differs from the system's, by which clients evaluate them now.
  fileprivate var newlyTrusted: [FieldChange] {
    guard rotation.newest.unpinnedHosts != .deny else { return [] }
    return rotation.changes.hosts.flatMap { change -> [FieldChange] in
      guard change.beginsToPin, let entry = entries[change.label].map({ policy.hosts[$0] }), let trust = entry.trust
      else { return [] }
      return TrustComparison(from: Manifest.Trust(), to: trust.lowered, at: scenario.now).changes.map {
        FieldChange(change: change, entry: entry, note: "", field: $0.field, risk: $0.risk)
      }
    }
  }

  /// Whether no chain that clients accept now is rejected by what became stricter, as the policy and the releases show.
  fileprivate func rejectsNothing(_ change: TrustChange, of entry: Policy.HostEntry) -> Bool {
    switch change.field {
    case "anchors":
      let gone = change.before.filter { !change.after.contains($0) }
      return gone.allSatisfy { hasEnded($0) || isRenewed($0, in: change.after) || wasDenied($0) }
    case "server-name":
      // Clients verify the host's own name without it.
      let names = [change.before, change.after].map { $0.first ?? entry.host.text }
      return names[0] == names[1] && !entry.coversSubdomains
    default: return false
    }
  }

  /// Whether a new anchor is below an active key, as certificates show, so that paths that end at it don't have the key; or
  /// has such a key, which only counts below an anchor.
  fileprivate func cutsPaths(_ change: TrustChange, of entry: Policy.HostEntry) -> Bool {
    guard change.field == "anchors", let set = entry.keySet else { return false }
    let keys = policy.keySets[set.value].active.map { policy.keys[$0.key] }
    let active = Set(keys.compactMap(\.pin))
    // Under another name than the key's own certificate, or check would reject it.
    let intermediates = Set(keys.filter { $0.chainPosition == .intermediate }.compactMap(\.pin))
    return change.after.contains { anchor in
      guard !change.before.contains(anchor), let pin = certificate(named: anchor).flatMap({ certificates.pin(of: $0) })
      else { return false }
      return intermediates.contains(pin)
        || certificates.issuers(of: pin).joined().contains { $0.map(active.contains) ?? false }
    }
  }

  /// An anchor that has ended ends no chain, unless an exception excuses it.
  private func hasEnded(_ anchor: String) -> Bool {
    guard let certificate = certificate(named: anchor), let end = certificate.notAfter else { return false }
    return !isExcused(certificate) && Instant(secondsSinceEpoch: end) <= scenario.now
  }

  /// Whether clients block each chain with an anchor already.
  private func wasDenied(_ anchor: String) -> Bool {
    guard let pin = certificate(named: anchor).flatMap({ certificates.pin(of: $0) }) else { return false }
    return rotation.newest.keys.contains { $0.pin == pin && $0.denied != nil }
  }

  /// Whether another anchor has the same name and key, is valid now, and restricts nothing that this one doesn't.
  private func isRenewed(_ anchor: String, in after: [String]) -> Bool {
    guard let old = certificate(named: anchor) else { return false }
    return after.contains { other in
      guard let new = certificate(named: other), let begin = new.notBefore, let end = new.notAfter else { return false }
      return new.isCA && new.der[new.layout.subject] == old.der[old.layout.subject]
        && new.subjectPublicKeyInfo == old.subjectPublicKeyInfo
        && Instant(secondsSinceEpoch: begin) <= scenario.now && scenario.now < Instant(secondsSinceEpoch: end)
        && !new.constrainsNames && [nil, old.pathLength].contains(new.pathLength)
        && [nil, old.extendedKeyUsage].contains(new.extendedKeyUsage)
    }
  }

  /// The labels of the entries of which the evidence shows every server.
  fileprivate var seenEntries: Set<String> {
    var (seen, unseen): (Set<String>, Set<String>) = ([], [])
    for server in scenario.servers {
      guard let entry = entry(of: server) else { continue }
      if server.phases.first?.source == .observed { seen.insert(entry.label) } else { unseen.insert(entry.label) }
    }
    return seen.subtracting(unseen)
  }
}

extension HostChange {
  /// Whether clients didn't evaluate the host before.
  var beginsToPin: Bool {
    switch kind {
    case .added(let entry): entry.mode != .off && others.allSatisfy { $0.changes.contains(where: \.beginsToPin) }
    case .removed: false
    case .changed(let fields): fields.contains(where: \.beginsToPin)
    }
  }
}

extension EntryChange {
  fileprivate var beginsToPin: Bool {
    field.modes.map { $0.from == .off && $0.to != .off } ?? false
  }
}
