import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A certificate whose subject has nothing in common with the name that the key was given.
  static let unlikeName = Rule(
    code: "P308",
    name: "unlike-name",
    severity: .warning,
    title: "A certificate's subject doesn't resemble its key's name.",
    rationale: """
      Reviewers read names, clients compare pins. A key that is called after one CA and was computed from another CA's
      certificate passes every review and locks clients out at the next handshake, so the two are compared here, as
      Chromium's generator does for its list. Words such as `root` or `backup` and bare numbers don't count, and a
      server's certificate may also be known by the hosts that use it.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/other-root.pem }
      """),
    passing: Example(
      """
      version: 1
      keys:
        other-root: { file: keys/other-root.pem }
      """),
    citation: "Chromium, net/http/transport_security_state_static.pins",
    check: .policy(unlikeNames))
}

private func unlikeNames(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let uses = usesOfKeys(input)
  // One file may contain many keys, so results are kept.
  var likenesses: [SHA256Digest: Likeness] = [:]
  var names = KnownCertificateNames()
  return input.keyFacts.keys(with: .hasCertificate).compactMap { index in
    let key = policy.keys[index]
    guard let material = key.material, let certificate = material.certificate, let subject = material.subject else {
      return nil
    }
    let likeness =
      likenesses[certificate.fingerprint]
      ?? Likeness(subject: subject, alternativeNames: certificate.alternativeNames)
    likenesses[certificate.fingerprint] = likeness
    let difference: String
    switch likeness.judge(key.name.value, isCA: certificate.isCA) {
    case .alike: return nil
    case .unlike:
      if !certificate.isCA, isServed(by: uses[index, default: []], names[certificate], policy) { return nil }
      difference = "which has no word of that name"
    case .otherGeneration: difference = "which has another number"
    }
    return Finding(
      at: key.sourcePlace,
      "key '\(key.name.value)' gets its pin from the certificate of \(Wording.quoted(subject, most: 120)), \(difference)",
      help: "Check that this is the certificate you mean; if it is, rename the key after it.")
  }
}

/// True where one of the hosts that use a key is named by its certificate.
private func isServed(by uses: [KeySetUse], _ names: CertificateNames, _ policy: Policy) -> Bool {
  uses.contains { use in use.hosts.contains { names.cover(policy.hosts[$0].host) } }
}

/// The sets in use that hold each server's key, by its index.
private func usesOfKeys(_ input: CheckInput) -> [Int: [KeySetUse]] {
  var uses: [Int: [KeySetUse]] = [:]
  for use in input.keySetsInUse where use.some.contains(.hasCertificate) {
    for member in Set(input.policy.keySets[use.set].members.map(\.key)) where isServersKey(member, input) {
      uses[member, default: []].append(use)
    }
  }
  return uses
}

/// True for the key of a certificate that isn't a CA's.
private func isServersKey(_ key: Int, _ input: CheckInput) -> Bool {
  let traits = input.keyFacts.traits[key]
  return traits.contains(.hasCertificate) && !traits.contains(.isCA)
}
