import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A position at which the key's own certificate can't stand.
  static let positionContradictsFile = Rule(
    code: "P326",
    name: "position-contradicts-file",
    severity: .error,
    title: "A key's position contradicts its certificate.",
    rationale: """
      A key with a position counts only at that place of the validated chain. A server's certificate is never above another
      one, and a CA that another one issued isn't the end of a chain, so such a pin never matches. Either
      the position or the file isn't the one that was meant.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, position: root }
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, position: leaf }
      """),
    citation: "RFC 5280 sections 4.2.1.9 and 6.1",
    check: .policy(contradictions))
}

private func contradictions(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let anchors = pinsOfAnchors(input)
  // Another rule reports the position of a denied key, which has no effect.
  return input.keyFacts.keys(with: [.hasPosition, .hasCertificate], without: .isDenied).compactMap { index in
    let key = policy.keys[index]
    guard let position = key.position, let material = key.material,
      let certificate = material.certificate
    else {
      return nil
    }
    // A self-signed certificate, for example of a device, is both leaf and root, whether or not it is a CA. A
    // self-signed CA may also be an intermediate, if another CA certified its key.
    switch (position.value, isCA: certificate.isCA, isSelfIssued: certificate.isSelfIssued) {
    case (.leaf, isCA: false, _), (.leaf, _, isSelfIssued: true), (.intermediate, isCA: true, _),
      (.root, _, isSelfIssued: true), (.ca, isCA: true, _):
      return nil
    case (.leaf, _, _):
      return finding(key, position, "is a CA's certificate", certificate.isSelfIssued ? "root" : "intermediate", input)
    case (_, isCA: false, _):
      return finding(key, position, "is not a CA certificate", "leaf", input)
    case (.intermediate, _, _), (.root, _, _), (.ca, _, _):
      // The key may also have a self-signed certificate, or the entry may name it as an anchor.
      return anchors.contains(material.pin)
        ? nil : finding(key, position, "was issued by another CA", "intermediate", input, .warning)
    }
  }
}

private func pinsOfAnchors(_ input: CheckInput) -> Set<Pin> {
  var pins: Set<Pin> = []
  for index in input.hostsWithTrust {
    for file in input.policy.hosts[index].trust?.anchorFiles ?? [] { pins.formUnion(file.value.lazy.map(\.pin)) }
  }
  return pins
}

private func finding(
  _ key: Policy.Key, _ position: Located<KeyPosition>, _ what: String, _ right: String, _ input: CheckInput,
  _ severity: Severity? = nil
) -> Finding {
  Finding(
    at: position.place, "key '\(key.name.value)' can't have position \(position.value.rawValue): its file \(what)",
    related: [Diagnostic.Related("\(Wording.quoted(key.subject ?? "", most: 120))", at: key.sourcePlace)],
    help: "Correct the position, leave it out to accept the key anywhere, or name the file that was meant.",
    severity: severity, fixes: input.writing(right, at: position.place, .suggested))
}
