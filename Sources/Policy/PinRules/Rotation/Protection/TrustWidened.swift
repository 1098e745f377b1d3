import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

extension Rule {
  /// Trust evaluation that lets more pass.
  static let trustWidened = Rule(
    code: "P609",
    name: "trust-widened",
    severity: .warning,
    title: "Trust evaluation accepts more than before.",
    rationale: """
      An exception that is added or lasts longer, another anchor or intermediate, one certificate in place of a path,
      another name to verify, a minimum that is lowered, the system's anchors on top of one's own, a key that is no
      longer denied: each allows something that clients block today (TN2232). So it needs a review. If the same change
      also makes clients reject what they accept, such as one anchor in place of another, the trust is called different.
      """,
    failing: .rotation(
      RotationLines.api(
        "api-2025", backup: "spare", "trust: { anchors: [keys/example-root.pem, keys/other-root.pem], reason: own CA }"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api(
          "api-2025", backup: "spare", "trust: { anchors: [keys/example-root.pem], reason: own CA }"))),
    passing: .rotation(
      RotationLines.api(
        "api-2025", backup: "spare", "trust: { anchors: [keys/example-root.pem], reason: own CA }"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api(
          "api-2025", backup: "spare",
          "trust: { anchors: [keys/example-root.pem, keys/other-root.pem], reason: own CA }"))),
    citation: "docs/rotation.md#findings; Apple TN2232",
    check: .rotation { _, facts in facts.widenedTrust + facts.takenBackDenials })
}

extension RotationFacts {
  fileprivate var widenedTrust: [Finding] {
    var phrases = HostPhrases()
    for change in fieldChanges {
      guard case .trust(let trust) = change.field, trust.acceptsMore else { continue }
      phrases.add(
        change, (trust.rejectsMore ? "different: " : "wider: ") + phrase(trust, of: change.entry),
        at: change.entry.trustPlace)
    }
    return phrases.groups.map { group in
      let isAnotherAnchor: Bool
      if case .trust(let trust) = group.first.field {
        isAnotherAnchor = trust.field == "anchors" && !trust.rejectsMore && !trust.before.isEmpty
      } else {
        isAnotherAnchor = false
      }
      return Finding(
        at: group.place, "the trust of \(group.hosts) is \(group.phrase)",
        help: "Say why in 'reason:'. "
          + (isAnotherAnchor
            ? "In a rotation, remove the old anchor at the end." : "Undo it when it is no longer needed."),
        witness: witness(
          of: group.first, .admitted, reason: "a chain that only the new trust accepts passes where its keys do"))
    }
  }

  /// A client of the policy to which changed trust applies: no chain is known, but who it is, where and when.
  func witness(of field: FieldChange, _ outcome: Witness.Outcome, reason: String) -> Witness? {
    candidate.map { scenario.releases[$0] }.map { release in
      Witness(
        client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
        host: HostLabel.text(host: field.change.host, port: field.change.port ?? 443), instant: "\(release.issued)",
        until: nil, place: nil, chain: [], outcome: outcome, reason: reason)
    }
  }

  fileprivate var takenBackDenials: [Finding] {
    rotation.changes.denials.filter { !$0.isDenied }.map { change in
      let name = names[change.key.pin] ?? change.key.name
      return Finding(
        at: key(change.key.pin)?.name.place ?? releasePlace, "'\(name)' is no longer denied",
        help: "Keep the denial: a key that was denied once is never safe again, and a new one costs little.",
        witness: admission(of: change.key.pin))
    }
  }

  /// A client of the policy that goes on although it is shown the key; nil where no host is checked against it.
  private func admission(of pin: Pin) -> Witness? {
    guard let number = keyNumbers[pin] else { return nil }
    let shown = chain(of: policy.keys[number], pin)
    return policy.hosts.lazy.filter { entry in
      entry.keySet.map { set in policy.keySets[set.value].members.contains { policy.keys[$0.key].pin == pin } } ?? false
    }.compactMap { entry in
      witness(
        ofRelease: candidate, host: entry.host, port: entry.port?.value, at: scenario.now, shown: shown, .admitted)
    }.first
  }

  /// `'anchors' now with 'keys/b.pem', no longer with 'keys/a.pem'`.
  func phrase(_ change: TrustChange, of entry: Policy.HostEntry) -> String {
    var files = entry.trust?.filesByFingerprint ?? [:]
    // What is gone has no file any more, but the releases have the certificate.
    for (name, subject) in goneSubjects(change, files) { files[name] = subject }
    let gone = change.before.filter { !change.after.contains($0) }
    let new = change.after.filter { !change.before.contains($0) }
    let parts = [("now with", new), ("no longer with", gone)].filter { !$0.1.isEmpty }.map { word, items in
      "\(word) "
        + items.prefix(3).map { Wording.quoted(files.named(in: $0), most: 160) }.listed()
        + (items.count > 3 ? " and \(items.count - 3) more" : "")
    }
    return "'\(change.field)' " + (parts.isEmpty ? "changed" : parts.joined(separator: ", "))
  }
}

extension RotationFacts {
  /// What the certificates are called that a change of trust removes, by how changes name them.
  private func goneSubjects(_ change: TrustChange, _ files: [String: String]) -> [String: String] {
    let words = Set(change.before.flatMap { $0.split(separator: " ").map(String.init) })
    var subjects: [String: String] = [:]
    for word in words where files[word] == nil {
      guard let certificate = certificate(named: word) else { continue }
      subjects[word] = "\(certificate.subject) (\(word.prefix(23))…)"
    }
    return subjects
  }
}

extension Policy.HostEntry {
  /// Where its trust settings are, or would be.
  var trustPlace: Place { trust?.place ?? written.place }
}

extension Policy.Trust {
  /// The files that the entry names, by how changes name their certificates.
  var filesByFingerprint: [String: String] {
    let lists = (anchorFiles + intermediateFiles).flatMap(\.value)
    let materials = lists + [certificate?.value].compactMap { $0 } + exceptions.compactMap(\.material)
    let named = materials.compactMap { material in
      material.certificate.map { ("sha256:" + $0.fingerprint.hex, material.path) }
    }
    return Dictionary(named) { first, _ in first }
  }
}

extension [String: String] {
  /// A text of words with the fingerprint among them replaced by the file's path, where that is known.
  fileprivate func named(in text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { self[String($0)] ?? String($0) }
      .joined(separator: " ")
  }
}
