import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// The keys that a policy denies, and where a chain can't do without one of them.
struct Denials {
  /// Of several denials of one key, the first.
  private var byPin: [Pin: Policy.Key] = [:]

  init(_ input: CheckInput) {
    for index in input.keyFacts.keys(with: [.isDenied, .hasPin]) {
      let key = input.policy.keys[index]
      if let pin = key.pin, byPin[pin] == nil { byPin[pin] = key }
    }
  }

  var isEmpty: Bool { byPin.isEmpty }

  subscript(pin: Pin) -> Policy.Key? { byPin[pin] }

  /// Certificates of `trust` whose keys are denied, each once for all entries that share the text.
  func inTrust(_ input: CheckInput) -> [Finding] {
    var groups: [(denied: DeniedCertificate, hosts: [String])] = []
    var numbers: [Place: Int] = [:]
    for entry in input.policy.hosts where entry.mode.value != .off {
      for denied in certificates(in: entry.trust) {
        if let number = numbers[denied.place] {
          groups[number].hosts.append(entry.label)
        } else {
          numbers[denied.place] = groups.count
          groups.append((denied, [entry.label]))
        }
      }
    }
    return groups.map { denied, hosts in
      let subject = Wording.quoted(denied.material.subject ?? denied.material.path, most: 120)
      return Finding(
        at: denied.place,
        "the \(denied.role) \(subject) of \(Wording.list(hosts, most: 3)) is denied: clients block "
          + (denied.isOnly ? "every chain" : "each chain with it"), related: related(denied.denial),
        help: denied.isOnly
          ? "Name the anchor that replaces it, and have servers use that one; or remove the denial, if the key should "
            + "be trusted again."
          : "Remove it from '\(denied.role)s:'; or remove the denial, if the key should be trusted again.",
        severity: denied.isOnly ? nil : .warning)
    }
  }

  /// Keys whose certificates have a denied key above them, as far as certificates are known.
  func aboveKeys(_ input: CheckInput) -> [Finding] {
    let policy = input.policy
    let known = KnownCertificates(policy, [], nil, input.live?.assessment)
    var anchors: [Int: Set<Set<AnchorName>>] = [:]
    for member in policy.keySets.flatMap(\.members) { anchors[member.key] = [] }
    for use in input.keySetsInUse {
      let ofEntries = Set(use.hosts.map { known.anchorNames(policy.hosts[$0].trust?.anchors) })
      for member in policy.keySets[use.set].members { anchors[member.key]?.formUnion(ofEntries) }
    }
    return anchors.sorted { $0.key < $1.key }.compactMap { index, ofEntries in
      let key = policy.keys[index]
      guard let file = key.material, let certificate = file.certificate, !certificate.isSelfIssued, key.denied == nil
      else { return nil }
      let above = (ofEntries.isEmpty ? [[]] : ofEntries).lazy.compactMap { anchors in
        known.deniedIssuers(of: file.pin, isLeaf: !certificate.isCA, endingAt: anchors) { byPin[$0] != nil }
      }.first
      guard let above, let denial = above.lazy.compactMap({ $0.flatMap { byPin[$0] } }).first else { return nil }
      let isIssuer = above.first == .some(denial.pin)
      return Finding(
        at: key.sourcePlace,
        "the certificate of key '\(key.name.value)' \(isIssuer ? "was issued by" : "is below") the denied key "
          + "'\(denial.name.value)': clients block each chain with both", related: related(denial),
        help: "Have another authority issue a certificate for this key; the pin stays the same.", severity: .warning)
    }
  }

  private func related(_ denial: Policy.Key) -> [Diagnostic.Related] {
    denial.denied.map { [Diagnostic.Related("denied here", at: $0.place)] } ?? []
  }

  private struct DeniedCertificate {
    let role: String
    let material: KeyMaterial
    let denial: Policy.Key
    let place: Place
    /// Whether no chain of the entry is without it.
    let isOnly: Bool
  }

  private func certificates(in trust: Policy.Trust?) -> [DeniedCertificate] {
    guard let trust, trust.certificate == nil else { return [] }
    func denied(_ role: String, _ files: [Located<[KeyMaterial]>], isOnly: Bool) -> [DeniedCertificate] {
      files.flatMap { file in
        file.value.compactMap { material in
          byPin[material.pin].map {
            DeniedCertificate(role: role, material: material, denial: $0, place: file.place, isOnly: isOnly)
          }
        }
      }
    }
    let hasOther = trust.anchorFiles.contains { $0.value.contains { byPin[$0.pin] == nil } }
    return denied("anchor", trust.anchorFiles, isOnly: !trust.systemAnchors && !hasOther)
      + denied("intermediate", trust.intermediateFiles, isOnly: false)
  }
}
