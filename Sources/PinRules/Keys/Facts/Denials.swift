import Diagnostics
import PinFormat
import PinPolicy

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

  /// Keys whose certificates were issued by denied keys, as far as the policy's files show.
  func aboveKeys(_ input: CheckInput) -> [Finding] {
    let policy = input.policy
    let named = policy.hosts.flatMap { ($0.trust?.anchorFiles ?? []) + ($0.trust?.intermediateFiles ?? []) }
    let authorities = named.flatMap(\.value) + policy.keys.compactMap(\.material)
    let members = Set(policy.keySets.flatMap { $0.members.map(\.key) })
    return members.sorted().compactMap { index in
      let key = policy.keys[index]
      guard let certificate = key.material?.certificate, !certificate.isSelfIssued, key.denied == nil else {
        return nil
      }
      let issuers = authorities.filter { $0.isIssuer(of: certificate) }
      guard let denial = issuers.first.flatMap({ byPin[$0.pin] }), issuers.allSatisfy({ byPin[$0.pin] != nil }) else {
        return nil
      }
      return Finding(
        at: key.sourcePlace,
        "the certificate of key '\(key.name.value)' was issued by the denied key '\(denial.name.value)': clients block "
          + "each chain with both", related: related(denial),
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

extension KeyMaterial {
  /// Whether it is the certificate of an authority that may have issued another, by identifiers, or else by names.
  fileprivate func isIssuer(of other: Certificate) -> Bool {
    guard let certificate, certificate.isCA, subject == other.issuer else { return false }
    guard let one = certificate.subjectKeyIdentifier, let wanted = other.authorityKeyIdentifier else { return true }
    return one == wanted
  }
}
